/**
 * Leases that are held for long (proper-lockfile): they decide which process polls a research run,
 * writes the index cache or makes today's backup. When a machine stalls, two processes may have one
 * lease. So a lease only saves work; the write lock (file-lock.ts) guards what must not happen twice.
 *
 * The file `<path>.owner` beside the lock `<path>.lock` has the name of the owner's process
 * (process-identity.ts). If that process ran on this machine and is dead, the lease is free at once; if
 * there is still no such file after a second, the process died before it wrote its name, and the lease is
 * free too. Otherwise the lease ends 20 s after its last refresh.
 */
import { lstatSync, rmdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { lock } from 'proper-lockfile';
import { sleep } from '../../base/clock.js';
import { errnoOf, isAppError } from '../../base/errors.js';
import { atomicWrite, makeFolder } from '../atomic/atomic-write.js';
import { removeQuietly } from '../atomic/staging.js';
import { fileError, withFileError } from '../read/file-errors.js';
import { readWhole } from '../read/json-doc.js';
import { inFolder, pinFolder } from '../safe-access/pinned-folder.js';
import { notAFolder } from '../safe-access/refusals.js';
import { isSurelyDead, ownerName } from './process-identity.js';

const STALE_MS = 20_000;
const REFRESH_MS = 5_000;
/** An owner writes its name within milliseconds. */
const NAME_MS = 1_000;
const MAX_OWNER_BYTES = 1000;

export interface Lease {
  /** False once another process took the lease over: stop the work at the next chance. */
  isHeld(): boolean;
  /** Idempotent. Never throws. */
  release(): Promise<void>;
}

/** `undefined` if a live process holds it, or one that cannot be seen from here. FILESYSTEM_ERROR, PATH_ESCAPE. */
export async function tryLease(path: string): Promise<Lease | undefined> {
  await makeFolder(dirname(path), { fsync: false });
  const lease = await acquire(path);
  if (lease !== undefined || !(await isAbandoned(path))) return lease;
  // Another waiter may do the same at the same moment. One of the two acquires the lease.
  await inFolder(dirname(path), (folder) => rmdirSync(folder.at(basename(lockPath(path))))).catch(
    () => undefined,
  );
  return acquire(path);
}

async function acquire(path: string): Promise<Lease | undefined> {
  let isHeld = true;
  const folder = await withFileError('lease', path, async () => pinFolder(dirname(path)));
  try {
    const at = folder.at(basename(path));
    const unlock = await lock(at, {
      lockfilePath: lockPath(at),
      realpath: false,
      stale: STALE_MS,
      update: REFRESH_MS,
      // The default throws from a timer and so ends the process.
      onCompromised: () => {
        isHeld = false;
      },
    });
    // Without this file another process would take the lease over.
    await atomicWrite(ownerPath(path), Buffer.from(ownerName()), { fsync: false }).catch(
      async (error: unknown) => {
        await unlock();
        throw error;
      },
    );
    return {
      isHeld: () => isHeld,
      release: async () => {
        // Of a lease that was taken over, the name is another process's.
        if (isHeld) removeQuietly(folder.at(basename(ownerPath(path))));
        isHeld = false;
        await unlock().catch(() => undefined); // released before, or another process holds it now
        folder.close();
      },
    };
  } catch (error) {
    const name = basename(lockPath(path));
    const found = lstatSync(folder.at(name), { throwIfNoEntry: false });
    folder.close();
    // A lock is a folder. Anything else would be taken for the lease of another process for ever.
    if (found?.isDirectory() === false) throw notAFolder(lockPath(path), found);
    if (errnoOf(error) === 'ELOCKED') return undefined;
    if (isAppError(error)) throw error;
    throw fileError(error, 'lease', path);
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const owner = await ownerOf(path);
  if (owner !== undefined) return isSurelyDead(owner);
  const before = lockVersion(path);
  await sleep(NAME_MS);
  return (await ownerOf(path)) === undefined && before !== '' && lockVersion(path) === before;
}

async function ownerOf(path: string): Promise<string | undefined> {
  const found = await readWhole(ownerPath(path), MAX_OWNER_BYTES).catch(() => undefined);
  return found?.bytes.toString().trim();
}

/** Differs where the lock was released and acquired again; empty where there is none. */
function lockVersion(path: string): string {
  const found = lstatSync(lockPath(path), { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs}`;
}

const lockPath = (path: string) => `${path}.lock`;
const ownerPath = (path: string) => `${path}.owner`;

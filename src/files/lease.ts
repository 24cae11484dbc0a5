/**
 * Long-held leases (proper-lockfile): who polls a research run, who writes the index cache, who makes
 * today's backup. Two owners at once are possible when a machine stalls, so a lease only saves work;
 * what must not happen twice is decided under the write lock (file-lock.ts).
 */
import { dirname } from 'node:path';
import { lock } from 'proper-lockfile';
import { errnoOf } from '../base/errors.js';
import { makeFolder } from './atomic-write.js';
import { fileError } from './file-errors.js';

const STALE_MS = 20_000;
const REFRESH_MS = 5_000;

export interface Lease {
  /** False once another process took the lease over: stop the work at the next chance. */
  isHeld(): boolean;
  /** Never throws; letting go twice does nothing. */
  release(): Promise<void>;
}

/** `undefined` where a live process holds it. The lease ends by itself 20 s after its process died. */
export async function tryLease(path: string): Promise<Lease | undefined> {
  let isHeld = true;
  await makeFolder(dirname(path), { fsync: false });
  try {
    const unlock = await lock(path, {
      realpath: false,
      stale: STALE_MS,
      update: REFRESH_MS,
      // The default throws from a timer and so ends the process.
      onCompromised: () => {
        isHeld = false;
      },
    });
    return {
      isHeld: () => isHeld,
      release: async () => {
        isHeld = false;
        await unlock().catch(() => undefined); // released before, or taken over: not ours any more
      },
    };
  } catch (error) {
    if (errnoOf(error) === 'ELOCKED') return undefined;
    throw fileError(error, 'lease', path);
  }
}

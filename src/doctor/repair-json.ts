/**
 * Repairs a small damaged JSON file: writes it again, under its lock, with the fields that are complete. If git
 * wrote conflict markers, these are the fields of both sides. The damaged file is kept under another name.
 */
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { type AppError, passes } from '../base/errors.js';
import { isRecord, type JsonObject } from '../base/json-fields.js';
import type { Durability } from '../files/atomic/atomic-write.js';
import { withLock } from '../files/locks/file-lock.js';
import { brokenName } from '../files/paths/broken-names.js';
import { parseDocument, renderDocument } from '../files/read/json-document.js';
import { recoverFields } from '../files/read/recover-fields.js';
import { readWhole } from '../files/read/whole-file.js';
import { conflictSides } from '../stores/conflict-markers.js';
import { type Found, unreadable } from './check.js';

export interface JsonFile {
  readonly path: string;
  /** The lock under which the file is written. */
  readonly locksFolder: string;
  readonly lockName: string;
  /** Throws CORRUPT if these fields are not valid for the file. */
  check(value: unknown): void;
}

export interface RepairOptions extends Durability {
  readonly clock: Clock;
}

/** Returns the finding for a file that cannot be read, with its repair if that is possible. FILESYSTEM_ERROR. */
export async function damagedJson(
  error: AppError,
  file: JsonFile,
  options: RepairOptions,
): Promise<Found> {
  const canRepair = error.code === 'CORRUPT' && (await isRepairable(file));
  return {
    ...unreadable(error, file.path),
    ...(canRepair && { repair: () => repairJson(file, options) }),
  };
}

/** Whether `repairJson` would write a valid file. */
async function isRepairable({ path, check }: JsonFile): Promise<boolean> {
  const found = await readWhole(path);
  if (found === undefined) return false;
  const fields = completeFields(found.bytes.toString());
  return Object.keys(fields).length > 0 && passes(() => check(fields));
}

/** Returns a sentence. Durable when it resolves. CORRUPT (no valid file is possible), LOCKED, STORAGE_FULL. */
function repairJson(file: JsonFile, { clock, fsync }: RepairOptions): Promise<string> {
  const { path, locksFolder, lockName, check } = file;
  return withLock(locksFolder, lockName, async (lock) => {
    const found = await readWhole(path);
    if (found === undefined) return 'The file no longer exists.';
    if (passes(() => check(parseDocument(found.bytes, path, 'CORRUPT'))))
      return 'The file needs no repair any more.';
    const fields = completeFields(found.bytes.toString());
    check(fields);
    const keptAs = keptName(path, clock);
    await lock.link(path, join(dirname(path), keptAs), { fsync });
    await lock.replace(path, renderDocument(fields), { fsync }, { base: found.stamp });
    return `Fields saved: ${Object.keys(fields).length}; the broken file is kept as ${keptAs}.`;
  });
}

/** Of a value that both sides have, that of this branch. */
function completeFields(text: string): JsonObject {
  const sides = conflictSides(text);
  if (sides === undefined) return recoverFields(text);
  const [ours, theirs] = [recoverFields(sides.ours), recoverFields(sides.theirs)];
  const united = Object.entries(ours).map(([name, value]) => {
    const other = theirs[name];
    return [name, isRecord(value) && isRecord(other) ? { ...other, ...value } : value];
  });
  return { ...theirs, ...Object.fromEntries(united) };
}

/** That of an insight begins with a dot, so that it is ignored. */
function keptName(path: string, clock: Clock): string {
  const name = basename(path, '.json');
  const dot = basename(dirname(path)) === 'insights' ? '.' : '';
  return brokenName(`${dot}${name}`, clock.now());
}

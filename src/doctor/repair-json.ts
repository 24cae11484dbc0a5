/**
 * Mends a small JSON file that is one object: writes it again with the fields that are whole, under its
 * lock. The broken file gets a second name beside it first, so nothing is lost.
 */
import { basename, dirname, join } from 'node:path';
import { type Clock, compactTime } from '../base/clock.js';
import { passes } from '../base/errors.js';
import type { Durability } from '../files/atomic/atomic-write.js';
import { withLock } from '../files/locks/file-lock.js';
import { completeFields } from '../files/read/complete-fields.js';
import { parseDocument, readWhole } from '../files/read/json-doc.js';

export interface JsonFile {
  readonly path: string;
  /** The lock under which the file is written. */
  readonly locksFolder: string;
  readonly lockName: string;
  /** Throws CORRUPT where these fields are not what the file should hold. */
  check(value: unknown): void;
}

export interface RepairOptions extends Durability {
  readonly clock: Clock;
}

/** Whether `repairJson` would give a sound file. FILESYSTEM_ERROR. */
export async function isRepairableJson({ path, check }: JsonFile): Promise<boolean> {
  const found = await readWhole(path);
  if (found === undefined) return false;
  const fields = completeFields(found.bytes.toString());
  return Object.keys(fields).length > 0 && passes(() => check(fields));
}

/** Answers a sentence. Durable when it resolves. CORRUPT (nothing is left to save), LOCKED, STORAGE_FULL. */
export function repairJson(file: JsonFile, { clock, fsync }: RepairOptions): Promise<string> {
  const { path, locksFolder, lockName, check } = file;
  return withLock(locksFolder, lockName, async (lock) => {
    const found = await readWhole(path);
    if (found === undefined) return 'The file no longer exists.';
    if (passes(() => check(parseDocument(found.bytes, path, 'CORRUPT'))))
      return 'The file needs no repair any more.';
    const fields = completeFields(found.bytes.toString());
    check(fields);
    const keptAs = brokenName(path, clock);
    await lock.link(path, join(dirname(path), keptAs), { fsync });
    const bytes = Buffer.from(`${JSON.stringify(fields, null, 2)}\n`);
    await lock.replace(path, bytes, { fsync }, { base: found.stamp });
    return `${Object.keys(fields).length} fields were saved; the broken file was renamed to ${keptAs}.`;
  });
}

/** `state.json` is kept as `state.broken-<UTC time>.json`; an insight with a dot in front, as no insight. */
function brokenName(path: string, clock: Clock): string {
  const name = basename(path, '.json');
  const dot = basename(dirname(path)) === 'insights' ? '.' : '';
  return `${dot}${name}.broken-${compactTime(clock.now())}.json`;
}

/**
 * Reads a file that an editor may be saving at this moment. An editor that does not replace the file
 * leaves an incomplete file for some milliseconds. That is not damage. An editor that makes a backup first
 * renames the file, and for some milliseconds there is none.
 */
import { dirname } from 'node:path';
import { type Clock, sleep } from '../../base/clock.js';
import { modifiedMs, readStampNow, type Stamp } from './stamp.js';
import { type ReadFile, readWhole } from './whole-file.js';

/** If a file or its folder was written this recently, an editor may be saving the file. */
const FRESH_MS = 1_000;
const FRESH_ATTEMPTS = 5;
const FRESH_PAUSE_MS = 50;

/**
 * Returns the result of `parse` and the stamp of exactly that version; `undefined` if there is no file.
 * Throws the error of `parse` if a file older than one second cannot be parsed, or after five attempts;
 * FILESYSTEM_ERROR, TOO_LARGE.
 */
export async function readSettled<T>(
  path: string,
  parse: (found: ReadFile) => T | Promise<T>,
  clock: Clock,
  read: (path: string) => Promise<ReadFile | undefined> = readWhole,
): Promise<{ value: T; stamp: Stamp } | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await read(path);
    if (found === undefined) return undefined;
    try {
      return { value: await parse(found), stamp: found.stamp };
    } catch (error) {
      if (!isFresh(found.stamp, clock) || attempt === FRESH_ATTEMPTS) throw error;
      await sleep(FRESH_PAUSE_MS);
    }
  }
}

/**
 * Whether there is a file. If there is none, but its folder has just changed, waits a quarter of a second for
 * an editor to write the file again. FILESYSTEM_ERROR.
 */
export async function isPresentSoon(path: string, clock: Clock): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    if (readStampNow(path) !== undefined) return true;
    const folder = readStampNow(dirname(path));
    if (folder === undefined || !isFresh(folder, clock) || attempt > FRESH_ATTEMPTS) return false;
    await sleep(FRESH_PAUSE_MS);
  }
}

const isFresh = (stamp: Stamp, clock: Clock): boolean =>
  Math.abs(clock.now() - modifiedMs(stamp)) <= FRESH_MS;

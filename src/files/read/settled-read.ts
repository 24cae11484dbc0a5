/**
 * Reads a file that an editor may be saving at this moment. An editor that does not replace the file
 * leaves an incomplete file for some milliseconds. That is not damage.
 */
import { type Clock, sleep } from '../../base/clock.js';
import { type ReadFile, readWhole } from './json-doc.js';
import type { Stamp } from './stamp.js';

/** If a file was written this recently and cannot be parsed, it is read again before it counts as damaged. */
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
      const ageMs = clock.now() - Number(found.stamp.mtimeNs / 1_000_000n);
      if (Math.abs(ageMs) > FRESH_MS || attempt === FRESH_ATTEMPTS) throw error;
      await sleep(FRESH_PAUSE_MS);
    }
  }
}

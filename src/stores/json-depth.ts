/**
 * Limits how deep the JSON values in stores are nested. `JSON.parse` accepts any depth, but `JSON.stringify` is
 * recursive and fails at some thousand levels.
 */
import { AppError } from '../base/errors.js';

/** The limit for new values. Most JSON parsers of other languages accept this depth. */
export const MAX_LEVELS_WRITTEN = 500;
/** The limit for values from files. All code of Daybook can process this depth. */
export const MAX_LEVELS_READ = 4_000;

/** Whether objects and arrays are nested more than `levels` deep. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const each of Object.values(value)) if (isDeeperThan(levels - 1, each)) return true;
  return false;
}

/** Throws CORRUPT if the value of a file is nested deeper than Daybook can process and write again. */
export function requireDepthToRead(value: unknown, path: string): void {
  if (!isDeeperThan(MAX_LEVELS_READ, value)) return;
  throw new AppError('CORRUPT', `${path} is nested too deeply.`, {
    hint: `The file may have at most ${MAX_LEVELS_READ} levels of objects and lists. It was not changed.`,
    details: { path },
  });
}

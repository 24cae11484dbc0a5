/**
 * Parses text that may not be JSON, and limits the nesting of JSON. `JSON.parse` accepts any depth, but
 * `JSON.stringify` is recursive and fails at some thousand levels.
 */

/** Returns the value of a JSON text; `undefined` if there is no text, or if it is not JSON. */
export function parsedJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

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

/** The test for a JSON object in data of unknown shape. */

/** True for an object that is no array. */
export function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

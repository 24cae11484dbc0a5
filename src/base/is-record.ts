/** The type guard for a JSON object in data of unknown type. */

/** True for an object that is not an array. */
export function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

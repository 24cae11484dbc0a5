/** Reads fields of JSON that others wrote. A value of an unexpected type counts as absent. */
import { defined } from './json.js';

export type JsonObject = { [key: string]: unknown };

export const isString = (value: unknown): value is string => typeof value === 'string';

export const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isString);

/** True for an object that is not an array. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object; otherwise an empty object. */
export const objectIn = (value: unknown): JsonObject => (isRecord(value) ? value : {});

/** The value if it is a list; otherwise an empty list. */
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The objects in a list; other elements are left out. */
export const objectsIn = (value: unknown): JsonObject[] => listIn(value).filter(isRecord);

/** The value if it is a non-empty string. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The non-empty strings in a list. */
export const textsIn = (value: unknown): string[] =>
  listIn(value).filter((item): item is string => textIn(item) !== undefined);

/** The value if it is a finite number. */
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The number that `Number` makes of a value; NaN for an object, because `Number` throws for some. */
export const numberFrom = (value: unknown): number =>
  typeof value === 'object' ? Number.NaN : Number(value);

/** A copy without the fields whose value is `undefined`; `undefined` if no field is left. */
export function definedOrNothing(fields: JsonObject): JsonObject | undefined {
  const hasNone = Object.values(fields).every((value) => value === undefined);
  return hasNone ? undefined : defined(fields);
}

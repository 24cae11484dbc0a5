/** Reads fields of other programs' documents. A field of an unexpected type counts as absent. */
import type { JsonObject } from '../../stores/conversations/document/schema.js';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const objectsIn = (value: unknown): readonly JsonObject[] => listIn(value).filter(isObject);

/** The value if it is a non-empty string. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The fields whose value is not `undefined`. */
export function defined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The same; `undefined` if no field is left, as for most messages. */
export function definedOrNothing(fields: JsonObject): JsonObject | undefined {
  const hasNone = Object.values(fields).every((value) => value === undefined);
  return hasNone ? undefined : defined(fields);
}

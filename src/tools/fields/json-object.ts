/**
 * The zod schema of a JSON object that is stored as given. `z.record` copies its value and silently
 * drops a key named `__proto__`; this schema passes the same object on.
 */

import { z } from 'zod';
import { isRecord, type JsonObject } from '../../base/json-fields.js';

/** Accepts any JSON object; in the JSON Schema it is `{"type": "object"}` with the description. */
export function jsonObject(description: string) {
  return z
    .custom<JsonObject>(isRecord, 'Invalid input: expected a JSON object')
    .meta({ type: 'object', description });
}

/** Like `jsonObject`, for an input that is stored: refuses a number such as 1e400, which would be stored as null. */
export function storedJsonObject(description: string) {
  const isStorable = (value: unknown) => isRecord(value) && hasOnlyFiniteNumbers(value);
  return z
    .custom<JsonObject>(isStorable, { error: ({ input }) => problemOf(input) })
    .meta({ type: 'object', description });
}

function problemOf(value: unknown): string {
  if (isRecord(value)) return 'must not have a number above 1.8e308';
  return `must be a JSON object${typeof value === 'string' ? ', not a string' : ''}`;
}

/** Not recursive, because the store checks the depth later. The set also ends at an object that contains itself. */
function hasOnlyFiniteNumbers(object: JsonObject): boolean {
  const objects = new Set<object>([object]);
  // The set grows while it is read.
  for (const each of objects) {
    for (const value of Object.values(each)) {
      if (typeof value === 'number' && !Number.isFinite(value)) return false;
      if (typeof value === 'object' && value !== null) objects.add(value);
    }
  }
  return true;
}

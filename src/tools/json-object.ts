/**
 * The zod schema of a JSON object that is stored as given. `z.record` copies its value and silently
 * drops a key named `__proto__`; this schema passes the same object on.
 */

import { z } from 'zod';
import { isRecord, type JsonObject } from '../base/json-fields.js';

/** Accepts any JSON object; in the JSON Schema it is `{"type": "object"}` with the description. */
export function jsonObject(description: string) {
  return z
    .custom<JsonObject>(isRecord, 'Invalid input: expected a JSON object')
    .meta({ type: 'object', description });
}

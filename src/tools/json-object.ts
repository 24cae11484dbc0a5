/**
 * The zod schema of a free-form JSON object that is stored exactly as given.
 * `z.record` rebuilds its value and silently drops a key named `__proto__`; this one hands the
 * very object on, so that what a caller saves is what a caller reads.
 */

import { z } from 'zod';
import { isRecord } from '../base/is-record.js';
import type { JsonObject } from '../stores/conversations/document/schema.js';

/** Accepts any JSON object; in the JSON Schema it is `{"type": "object"}` with the description. */
export function jsonObject(description: string) {
  return z
    .custom<JsonObject>(isRecord, 'Invalid input: expected a JSON object')
    .meta({ type: 'object', description });
}

/**
 * Which sessions a tool deletes and when, from the tool's own settings. `daybook import`, `info` and `doctor` show
 * it, so that users import their sessions in time.
 */
import { parse } from 'jsonc-parser';
import { errnoOf, isAppError } from '../../base/errors.js';
import { numberIn, objectIn, textIn } from '../../base/json-fields.js';
import { countOf } from '../../base/text/display-text.js';
import { readGivenText } from '../../files/safe-access/given-file.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';

/** 30 days by default; some users reported that sessions were deleted after 9. */
export function deletionByClaudeCode(path: string): string {
  const days = numberIn(settingsIn(path)['cleanupPeriodDays']);
  return days === undefined
    ? `sessions older than 30 days by default (cleanupPeriodDays in ${path}), in some cases after 9 days`
    : `sessions older than ${countOf(days, 'day')} (cleanupPeriodDays in ${path})`;
}

/** 30 days by default; `undefined` if Gemini CLI deletes nothing. */
export function deletionByGemini(path: string): string | undefined {
  const name = 'general.sessionRetention';
  const { enabled, maxAge } = objectIn(objectIn(settingsIn(path)['general'])['sessionRetention']);
  if (enabled === false) return undefined;
  const age = textIn(maxAge);
  return age === undefined
    ? `sessions older than 30 days by default (${name}.maxAge in ${path})`
    : `sessions older than ${age} (${name}.maxAge in ${path})`;
}

/** Settings of a tool; an empty object (so that its defaults apply) if they cannot be read. */
function settingsIn(path: string): JsonObject {
  try {
    return objectIn(parse(readGivenText(path)));
  } catch (error) {
    if (errnoOf(error) === undefined && !isAppError(error)) throw error;
    return {};
  }
}

/**
 * Sets a later `updatedAt` in a `conversation.json` that was redacted. With the old time, a server that has the
 * earlier text in memory would take the change for an edit by hand, and store that text as a version
 * (docs/FORMAT.md).
 */
import { isUtf8 } from 'node:buffer';
import { isoTime, timeOfText } from '../base/clock.js';
import { parsedJson } from '../base/json.js';
import { isRecord, textIn } from '../base/json-fields.js';
import { renderDocument } from '../files/read/json-document.js';
import { isDeeperThan, MAX_LEVELS_READ } from '../stores/json-depth.js';

const FIELD = /"updatedAt"\s*:\s*"[^"]*"/;

/** `now`: epoch milliseconds. Returns bytes that no server can load as a conversation unchanged. */
export function withLaterUpdatedAt(bytes: Buffer, now: number): Buffer {
  const text = bytes.toString();
  const value = isUtf8(bytes) ? parsedJson(text.replace(/^\ufeff/, '')) : undefined;
  if (!isRecord(value) || isDeeperThan(MAX_LEVELS_READ, value)) return bytes;
  const before = timeOfText(textIn(value['updatedAt']) ?? '');
  const updatedAt = isoTime(Math.max(now, (before ?? 0) + 1));
  const field = `"updatedAt": "${updatedAt}"`;
  const changed = FIELD.test(text) ? text.replace(FIELD, field) : text.replace('{', `{ ${field},`);
  const isSet = Object(parsedJson(changed.replace(/^\ufeff/, ''))).updatedAt === updatedAt;
  return isSet ? Buffer.from(changed) : renderDocument({ ...value, updatedAt });
}

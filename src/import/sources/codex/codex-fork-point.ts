/**
 * Finds where the own turns of a forked Codex session begin. The session begins with a copy of the one from
 * which it was forked, all with the time of the fork. The session of a subagent may begin with such a copy too.
 * import/conversations/omit-forked-history.ts decides whether the copy is imported.
 */
import { objectIn, textIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { objectLines } from '../../reading/documents/documents.js';
import { msIn } from '../../reading/text/times.js';

/** Whether the record with this payload begins a turn of the fork itself. */
export type OwnTurn = (payload: JsonObject) => boolean;

const TURN_CONTEXT = /"type"\s*:\s*"turn_context"/;
/** The first digits of a UUID of version 7 are a time in milliseconds. */
const UUID_7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i;

/** The id of the session that this one was forked from, or that started it as a subagent. */
export function parentOf(meta: JsonObject): string | undefined {
  const spawn = objectIn(objectIn(objectIn(meta['source'])['subagent'])['thread_spawn']);
  return textIn(meta['forked_from_id']) ?? textIn(spawn['parent_thread_id']);
}

/** `undefined` if the file has no copy, or does not show which turns are copies. */
export async function ownTurnOf(
  file: InputFile,
  id: string,
  meta: JsonObject,
): Promise<OwnTurn | undefined> {
  const parent = parentOf(meta);
  if (parent === undefined || parent === id) return undefined;
  const forkedAt = timeOfId(id) ?? msIn(meta['timestamp']);
  if (forkedAt === undefined) return undefined;
  const isOwn: OwnTurn = (payload) => (timeOfId(textIn(payload['turn_id'])) ?? 0) >= forkedAt;
  const isWanted = (start: Buffer) => TURN_CONTEXT.test(start.toString('latin1'));
  for await (const { value } of objectLines(file, () => undefined, { isWanted })) {
    const payload = objectIn(value['payload']);
    if (isOwn(payload)) return undefined; // the first turn is no copy
    if (timeOfId(textIn(payload['turn_id'])) !== undefined) return isOwn;
  }
  return undefined;
}

/** In Unix milliseconds. */
function timeOfId(id: string | undefined): number | undefined {
  const [, high, low] = UUID_7.exec(id ?? '') ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

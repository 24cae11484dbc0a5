/**
 * Prompts that the user of Claude Code typed while it worked. They have no line of type `user`: the program
 * takes them from its queue in the middle of a turn and records only an attachment.
 */
import { sha256Hex } from '../../../base/ids.js';
import { objectIn, textIn } from '../../../base/json-fields.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';

/** The line as a line of type `user`; `undefined` if it has no prompt of the queue. */
export function queuedPrompt(line: JsonObject): JsonObject | undefined {
  const { prompt, type, commandMode, origin } = objectIn(line['attachment']);
  if (line['type'] !== 'attachment' || type !== 'queued_command') return undefined;
  // The program queues notices too, for example that a task in the background ended.
  const mode = textIn(commandMode) ?? 'prompt';
  const kind = textIn(objectIn(origin)['kind']) ?? 'human';
  return {
    ...line,
    type: 'user',
    uuid: textIn(line['uuid']) ?? idOf(line['timestamp'], prompt),
    message: { role: 'user', content: prompt },
    isMeta: line['isMeta'] === true || mode !== 'prompt' || kind !== 'human',
  };
}

/** The same in a copy of the session. */
const idOf = (timestamp: unknown, prompt: unknown): string =>
  `queued-${sha256Hex(JSON.stringify([timestamp, prompt])).slice(0, 32)}`;

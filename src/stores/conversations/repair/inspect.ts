/**
 * Finds faults in a `conversation.json` that can be read. Daybook can use such a file, and the next write
 * corrects it, but the user may want to know. No I/O.
 */

import { countOf } from '../../../base/display-text.js';
import { isRecord } from '../../../base/json-fields.js';

/** Returns one sentence for each fault. `value`: the parsed JSON of the file. */
export function faultsOf(value: unknown, conversationId: string): string[] {
  if (!isRecord(value)) return [];
  const { conversationId: ownId, messageCount, messages } = value;
  const list = Array.isArray(messages) ? messages.filter(isRecord) : [];
  const ids = list.map(({ id }) => id).filter((id) => typeof id === 'string');
  const known = new Set(ids);
  const doubled = ids.length - known.size;
  const orphans = list.filter(
    ({ parentMessageId: parent }) => typeof parent === 'string' && !known.has(parent),
  ).length;
  return [
    ...(typeof ownId === 'string' && ownId !== conversationId
      ? [`its conversationId is ${ownId.slice(0, 100)}, but its folder is ${conversationId}`]
      : []),
    ...(typeof messageCount === 'number' && messageCount !== list.length
      ? [`its messageCount is ${messageCount}, but it has ${countOf(list.length, 'message')}`]
      : []),
    ...(doubled > 0
      ? [`${countOf(doubled, 'message has', 'messages have')} the same id as another message`]
      : []),
    ...(orphans > 0
      ? [
          `${countOf(orphans, 'message has', 'messages have')} a parentMessageId that no message has`,
        ]
      : []),
  ];
}

/** Whether writing the file again would correct a fault. It cannot correct a missing parent message. */
export function isRepairable(value: unknown, conversationId: string): boolean {
  if (!isRecord(value) || !Array.isArray(value['messages'])) return false;
  const { messages, ...head } = value;
  const list = messages as readonly unknown[];
  const orphanless = list.map((message) =>
    isRecord(message) ? { ...message, parentMessageId: undefined } : message,
  );
  return faultsOf({ ...head, messages: orphanless }, conversationId).length > 0;
}

/** For the tests of this folder: makes a conversation from lines, one for each message. */
import type {
  Conversation,
  Message,
  Role,
} from '../../src/stores/conversations/document/schema.js';

const ROLES: Record<string, Role> = { u: 'user', a: 'assistant', s: 'system' };
const START = Date.parse('2025-12-24T17:30:00.000Z');

/** A line is `u: text`, `a: text` or `s: text`; there is a minute between messages. `… 5h` is a pause. */
export function conversationOf(...lines: readonly string[]): Conversation {
  const messages: Message[] = [];
  let time = START;
  for (const line of lines) {
    const pause = /^… (\d+)h$/.exec(line);
    if (pause) time += Number(pause[1]) * 3_600_000;
    const said = /^([uas]): ([\s\S]*)$/.exec(line);
    if (!said) continue;
    const role = ROLES[said[1] ?? ''] ?? 'user';
    const createdAt = new Date(time).toISOString();
    messages.push({ id: `m${messages.length + 1}`, role, content: said[2] ?? '', createdAt });
    time += 60_000;
  }
  return {
    conversationId: '20251224-1766597400000',
    createdAt: new Date(START).toISOString(),
    updatedAt: messages.at(-1)?.createdAt ?? new Date(START).toISOString(),
    messageCount: messages.length,
    messages,
  };
}

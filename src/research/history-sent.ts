/**
 * Turns a stored conversation into the messages that are sent: the whole history in order.
 * APIs want system messages first and user and assistant strictly in turn, but people and
 * `save_message` write as they like; order is made in what is sent, never in the file.
 */
import type { AskKind, SentMessage } from '../providers/perplexity-answer.js';
import type { Message } from '../stores/conversations/schema.js';
import { systemPromptFor } from './prompts.js';

/** Stands in for the missing first turn of a conversation that the assistant began. */
const OPENING = '(The assistant speaks first.)';

/** The history, then `query` as the user's last message. Neighbours of one role become one message. */
export function toSentMessages(
  stored: readonly Pick<Message, 'role' | 'content'>[],
  query: string,
  kind: AskKind,
): SentMessage[] {
  // An empty message says nothing, and the API refuses it.
  const told = stored.filter((message) => message.content.trim() !== '');
  const system = told.filter((message) => message.role === 'system');
  const turns = [
    ...told.filter((message) => message.role !== 'system'),
    { role: 'user' as const, content: query },
  ];
  const head: SentMessage[] =
    system.length > 0
      ? system.map(({ role, content }) => ({ role, content }))
      : [{ role: 'system', content: systemPromptFor(kind) }];
  if (turns[0]?.role === 'assistant') head.push({ role: 'user', content: OPENING });
  return [...head, ...joinNeighbours(turns)];
}

function joinNeighbours(turns: readonly SentMessage[]): SentMessage[] {
  const joined: SentMessage[] = [];
  for (const { role, content } of turns) {
    const last = joined.at(-1);
    if (last?.role === role) {
      joined[joined.length - 1] = { role, content: `${last.content}\n\n${content}` };
    } else {
      joined.push({ role, content });
    }
  }
  return joined;
}

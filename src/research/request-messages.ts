/**
 * Converts a stored conversation to the messages of a request: the whole history in order. The APIs require
 * system messages first and then user and assistant in turn. Stored messages can have any order, so the
 * request reorders them; the file is not changed.
 */
import type { AskKind, SentMessage } from '../providers/perplexity-types.js';
import type { Message } from '../stores/conversations/document/schema.js';
import { systemPromptFor } from './prompts.js';

/** The user's message before a conversation that the assistant began. */
const OPENING = '(The assistant speaks first.)';

/** The history, then `query` as the user's last message. Adjacent messages of one role are joined. */
export function toSentMessages(
  stored: readonly Pick<Message, 'role' | 'content'>[],
  query: string,
  kind: AskKind,
): SentMessage[] {
  // The API refuses empty messages.
  const nonEmpty = stored.filter((message) => message.content.trim() !== '');
  const system = nonEmpty.filter((message) => message.role === 'system');
  const turns = [
    ...nonEmpty.filter((message) => message.role !== 'system'),
    { role: 'user' as const, content: query },
  ];
  const head: SentMessage[] =
    system.length > 0
      ? system.map(({ role, content }) => ({ role, content }))
      : [{ role: 'system', content: systemPromptFor(kind) }];
  if (turns[0]?.role === 'assistant') head.push({ role: 'user', content: OPENING });
  return [...head, ...joinAdjacent(turns)];
}

function joinAdjacent(turns: readonly SentMessage[]): SentMessage[] {
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

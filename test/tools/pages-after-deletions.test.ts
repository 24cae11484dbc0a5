/** Pages of a conversation from its beginning, of which messages are deleted between two pages. */
import { expect, it } from 'vitest';
import { useToolSession } from '../support/tool-session.js';

const opened = useToolSession();
const call = (name: string, args: Record<string, unknown>) => opened.session.call(name, args);

interface Stored {
  readonly id: string;
  readonly hash: string;
}

async function openConversation(): Promise<{ conversationId: string; stored: Stored[] }> {
  const conversationId = 'talk';
  for (let n = 1; n <= 8; n += 1) {
    const content = `message ${n} ${'word '.repeat(200)}`;
    await call('save_message', { conversationId, role: 'user', content });
  }
  const { messages } = await call('get_conversation', { conversationId, maxTokens: 25_000 });
  return { conversationId, stored: messages as Stored[] };
}

const remove = (conversationId: string, { id: messageId, hash }: Stored) =>
  call('delete_message', { conversationId, messageId, hash });

const numbersOf = ({ messages }: Record<string, unknown>) =>
  (messages as { content: string }[]).map(({ content }) => Number(content.split(' ')[1]));

it.each([
  ['get_progressive_detail', { level: 'full', maxTokens: 1500 }],
  ['get_conversation_history', { limit: 3 }],
])('%s shows each message that is left', async (tool, args) => {
  const { conversationId, stored } = await openConversation();
  const [first, second] = stored;
  const page = await call(tool, { conversationId, ...args });
  const seen = numbersOf(page);
  expect(seen.length).toBeLessThan(6);
  if (first && second) {
    await remove(conversationId, first);
    await remove(conversationId, second);
  }
  let cursor = page['nextCursor'];
  while (cursor !== undefined) {
    const next = await call(tool, { conversationId, ...args, cursor });
    seen.push(...numbersOf(next));
    cursor = next['nextCursor'];
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it('a page starts at the next message if its own first message was deleted', async () => {
  const { conversationId, stored } = await openConversation();
  const { nextCursor } = await call('get_conversation_history', { conversationId, limit: 3 });
  const fourth = stored[3];
  if (fourth) await remove(conversationId, fourth);
  const next = await call('get_conversation_history', { conversationId, cursor: nextCursor });
  expect(numbersOf(next)).toEqual([5, 6, 7, 8]);
});

/** A key of two folders, of which one is a copy. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();

it('reading a conversation by a key that several have returns the ids of the others', async () => {
  const { session, place } = opened;
  const message = { role: 'user', content: 'Where do the tomatoes go?' };
  const saved = await session.call('save_message', { conversationId: 'plan', ...message });
  expect(saved).toMatchObject({ clientId: 'plan', title: message.content });
  const id = String(saved['conversationId']);
  const alone = await session.call('get_conversation', { conversationId: 'plan' });
  expect(alone).not.toHaveProperty('alsoWithThisKey');
  const copy = id.replace(/\d{3}$/, (digits) =>
    String((Number(digits) + 1) % 1000).padStart(3, '0'),
  );
  const logs = join(place.root, 'conversation-logs');
  cpSync(join(logs, id), join(logs, copy), { recursive: true });
  const file = join(logs, copy, 'conversation.json');
  writeFileSync(file, readFileSync(file, 'utf8'));
  // Waits until the server has noticed the copy.
  await vi.waitFor(
    async () => expect(await session.call('get_conversations', {})).toMatchObject({ total: 2 }),
    { timeout: 60_000, interval: 100 },
  );
  const read = await session.call('get_conversation', { conversationId: 'plan' });
  const [shown, other] = [id, copy].sort();
  expect(read).toMatchObject({ conversationId: shown, alsoWithThisKey: [other] });
  const byId = await session.call('get_conversation', { conversationId: copy });
  expect(byId).not.toHaveProperty('alsoWithThisKey');
  const { code } = await session.failure('save_message', { conversationId: 'plan', ...message });
  expect(code).toBe('CONFLICT');
});

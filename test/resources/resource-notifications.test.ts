/** Which resources the notifications about a list compare. */
import { expect, it, vi } from 'vitest';
import { ResourceNotifications } from '../../src/resources/resource-notifications.js';
import { MemoryBank } from '../../src/stores/memory-bank/memory-bank.js';
import { resourceUpdates } from '../support/resource-updates.js';
import { useToolSession } from '../support/tool-session.js';

const opened = useToolSession();

it('all resources are read for the first page of a list only', async () => {
  const receiver = { updated: () => undefined, listChanged: () => undefined };
  const notifications = new ResourceNotifications(receiver);
  let reads = 0;
  const known = async () => {
    reads += 1;
    return [['note:a.md', ''] as const];
  };
  for (let page = 0; page < 3; page += 1) await notifications.listAsked(known);
  notifications.close();
  expect(reads).toBe(1);
});

it('a conversation that is saved while the first list is made is in it, or the client is notified', async () => {
  const { call, client } = opened.session;
  const news = resourceUpdates(client);
  const spy = vi.spyOn(MemoryBank.prototype, 'refresh');
  // The notes are listed after the conversations.
  const saved = new Promise<string>((resolve, reject) => {
    spy.mockImplementationOnce(async () => {
      const message = { role: 'user', content: 'meanwhile' };
      await call('save_message', message).then(
        ({ conversationId }) => resolve(String(conversationId)),
        reject,
      );
    });
  });
  const { resources } = await client.listResources().finally(() => spy.mockRestore());
  const id = await saved;
  const isListed = resources.some(({ name }) => name === id);
  await expect.poll(() => isListed || news.listChanged > 0, { timeout: 5_000 }).toBe(true);
});

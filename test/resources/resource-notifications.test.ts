/** Which resources the notifications about a list compare. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { GATHER_MS, ResourceNotifications } from '../../src/resources/resource-notifications.js';
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

it('a change while all resources are read is not forgotten: its opposite is notified', async () => {
  const listChanged = vi.fn();
  const receiver = { updated: () => undefined, listChanged };
  const notifications = new ResourceNotifications(receiver);
  const known = async () => {
    const all = [['conversation:a', 'old title'] as const, ['note:a.md', ''] as const];
    notifications.listed('conversation:a', 'new title');
    notifications.listed('note:a.md', undefined);
    return all;
  };
  await notifications.listAsked(known);
  for (const [key, listing, count] of [
    ['conversation:a', 'new title', 0],
    ['conversation:a', 'old title', 1],
    ['note:a.md', '', 2],
  ] as const) {
    notifications.listed(key, listing);
    await sleep(GATHER_MS + 50);
    expect(listChanged).toHaveBeenCalledTimes(count);
  }
  notifications.close();
});

it('a request during the first reading waits for it, and the next one reads again after an error', async () => {
  const receiver = { updated: () => undefined, listChanged: () => undefined };
  const notifications = new ResourceNotifications(receiver);
  const read: string[] = [];
  const known = async () => {
    await sleep(20);
    read.push('all');
    if (read.length === 1) throw new Error('the store is away');
    return [];
  };
  const calls = () => [notifications.listAsked(known), notifications.listAsked(known)];
  const failed = await Promise.allSettled(calls());
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await Promise.all(calls());
  expect(read).toHaveLength(2);
  notifications.close();
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

/** Two servers of one store, both with new conversations that wait in memory until the store is there again. */
import { expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { withStore } from '../../support/store-that-leaves.js';
import { user } from './store.js';

const CREATED_AT = '2025-01-24T13:20:00.123Z';
const KEYS = Array.from({ length: 12 }, (_, index) => `key-${index}`);

/** With `createdAt`, both servers give the conversation the same id. */
async function waitsFor({ conversations }: App, key: string, name: string, createdAt?: string) {
  if (createdAt === undefined) {
    const options = { create: true, mayDefer: true };
    await conversations.append(key, [user(`${name} ${key}`)], options);
  } else {
    const messages = [user(`${name} ${key}`)];
    await conversations.create({ clientId: key, createdAt, messages, mayDefer: true });
  }
  await conversations.append(key, [user(`${name} more`)], { mayDefer: true });
}

it.each([
  ['ids of their own', undefined],
  ['the same id', CREATED_AT],
])('creates one conversation for the same new key, with %s', async (_, createdAt) => {
  await withStore(async ({ app: first, another, leave, comeBack }) => {
    const second = await another();
    await second.conversations.list();
    leave();
    for (const key of KEYS) {
      await waitsFor(first, key, 'first', createdAt);
      await waitsFor(second, key, 'second', createdAt);
    }
    await comeBack();
    const { conversations } = await another();
    expect(await conversations.list()).toHaveLength(KEYS.length + 1);
    for (const key of KEYS) {
      const contents = (await conversations.load(key)).messages.map(({ content }) => content);
      expect(contents).toHaveLength(4);
      for (const name of ['first', 'second']) {
        const own = contents.filter((content) => content.startsWith(name));
        expect(own).toEqual([`${name} ${key}`, `${name} more`]);
      }
    }
  });
});

/**
 * Writes that wait because the disk is full. The files can still be read, so attempts read them, and the
 * waiting messages must stay visible.
 */
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { tapFs } from '../support/fs-tap.js';
import { withStore } from '../support/store-that-leaves.js';

const later = { mayDefer: true };
const say = (content: string) => [{ role: 'user' as const, content }];

/** No file below the root can be written while `work` runs. Then everything that waits is written. */
async function whileFull({ app, root }: { app: App; root: string }, work: () => Promise<void>) {
  const restore = await tapFs(root, {
    before: ({ name }) => (name === 'write' ? { error: 'ENOSPC' } : undefined),
  });
  await work().finally(restore);
  expect(await app.deferredWrites.settle()).toBe(true);
}

const ZEBRA = { query: 'zebra', filters: {}, matchType: 'auto', limit: 9, offset: 0 } as const;

const exported = async ({ exporter }: App) => {
  const budget = { max: 100_000, measure: (text: string) => text.length };
  const request = { format: 'json' as const, selection: {}, forSharing: false };
  const { text } = await exporter.toText(request, budget);
  const { conversations } = JSON.parse(text) as { conversations: { messages: object[] }[] };
  return conversations;
};

describe('while the disk is full', () => {
  it('an added message is listed, found and exported, also after attempts to write it', async () => {
    await withStore(async ({ app, file }) => {
      const { conversations, search } = app;
      await conversations.update('plan', { metadata: { kept: true } });
      const found = async () => (await search.search(ZEBRA)).total;
      expect(await found()).toBe(0);
      await whileFull({ app, root: file('') }, async () => {
        await conversations.append('plan', say('the zebra'), later);
        expect(await app.deferredWrites.settle()).toBe(false);
        await conversations.append('plan', say('more'), later);
        expect(await app.deferredWrites.settle()).toBe(false);
        expect(await conversations.list()).toMatchObject([{ messageCount: 3 }]);
        expect(await found()).toBe(1);
        const contents = [{ content: 'before' }, { content: 'the zebra' }, { content: 'more' }];
        const [plan, ...others] = await exported(app);
        expect([plan, others]).toMatchObject([{ messages: contents, metadata: {} }, []]);
      });
      expect(await conversations.list()).toMatchObject([{ messageCount: 3 }]);
      expect(await found()).toBe(1);
    });
  });

  it('a new conversation is listed and exported, also after attempts to write it', async () => {
    await withStore(async ({ app, file }) => {
      const { conversations } = app;
      const create = { create: true, ...later };
      await whileFull({ app, root: file('') }, async () => {
        await conversations.append('other', say('one'), create);
        await conversations.create({ messages: say('without a key'), ...later });
        expect(await app.deferredWrites.settle()).toBe(false);
        await conversations.append('other', say('two'), create);
        expect(await app.deferredWrites.settle()).toBe(false);
        expect(await conversations.list()).toHaveLength(3);
        expect(await exported(app)).toHaveLength(3);
      });
      expect(await conversations.list()).toHaveLength(3);
      const { messages } = await conversations.load('other');
      expect(messages.map(({ content }) => content)).toEqual(['one', 'two']);
    });
  });
});

/**
 * Two servers of one store, in this process with real files. One has writes that wait in memory, and the other
 * changes the same data before they are written.
 */
import { describe, expect, it } from 'vitest';
import { withStore } from '../support/store-that-leaves.js';

const later = { mayDefer: true };
const said = (content: string) => [{ role: 'user', content } as const];

describe('a message for a key that waits', () => {
  const options = { ...later, create: { tags: ['new'] } };

  it.each([
    'trash',
    'remove',
  ] as const)('begins a new conversation after a %s', async (deletion) => {
    await withStore(async ({ app: first, another, leave, meanwhile, comeBack }) => {
      const { conversationId } = await first.conversations.load('plan');
      leave();
      await first.conversations.append('plan', said('one'), options);
      await first.conversations.append('plan', said('two'), options);
      await meanwhile(({ conversations }) => conversations[deletion](conversationId));
      await comeBack();
      const { conversations } = await another();
      const { messages, tags } = await conversations.load('plan');
      expect(messages.map(({ content }) => content)).toEqual(['one', 'two']);
      expect(tags).toEqual(['new']);
      expect(await conversations.list()).toHaveLength(1);
      expect(first.deferredWrites.state()).toBeUndefined();
    });
  });

  it('gets into the conversation with which that of the key was merged', async () => {
    await withStore(async ({ app: first, another, leave, meanwhile, comeBack }) => {
      const { conversationId } = await first.conversations.create({ messages: said('other') });
      leave();
      await first.conversations.append('plan', said('one'), later);
      await first.conversations.append('plan', said('two'), options);
      await first.conversations.update('plan', { pinned: true }, later);
      await meanwhile((other) => other.conversations.merge('plan', conversationId));
      await comeBack();
      const { conversations } = await another();
      const { messages, pinned } = await conversations.load('plan');
      expect(messages.map(({ content }) => content)).toEqual(['before', 'other', 'one', 'two']);
      expect(pinned).toBe(true);
      expect(await conversations.list()).toHaveLength(1);
    });
  });
});

describe('the title of a conversation', () => {
  it('that was given while the store was away replaces a title that was derived meanwhile', async () => {
    await withStore(async ({ app: first, another, leave, meanwhile, comeBack }) => {
      const options = { ...later, create: true };
      leave();
      await first.conversations.append('new', said('of the first'), options);
      await first.conversations.update('new', { title: 'Given' }, later);
      await meanwhile((other) => other.conversations.append('new', said('of the second'), options));
      await comeBack();
      const { conversations } = await another();
      const { title, messages } = await conversations.load('new');
      expect(messages).toHaveLength(2);
      expect(title).toBe('Given');
    });
  });
});

describe('the fields of an insight', () => {
  it('are not set by a waiting change if another server has set them later', async () => {
    await withStore(async ({ app: first, another, leave, meanwhile, comeBack }) => {
      const fields = { content: 'text', context: 'global', tags: ['old'], metadata: { a: 1 } };
      const { id } = await first.insights.save(fields);
      leave();
      await first.insights.update(id, { tags: ['first'], metadata: { a: 2 } }, later);
      await first.insights.update(id, { tags: ['first again'], expires_at: 9e15 }, later);
      await meanwhile((other) => other.insights.update(id, { tags: ['second'] }));
      await comeBack();
      const { insights } = await another();
      expect(await insights.get(id)).toMatchObject({
        tags: ['second'],
        metadata: { a: 2 },
        expires_at: 9e15,
      });
    });
  });
});

describe('a value of the state', () => {
  it('that another server has removed later is not set again by a waiting change', async () => {
    await withStore(async ({ app: first, another, leave, meanwhile, comeBack }) => {
      await first.state.set({ values: { a: 1, b: 1 } });
      leave();
      await first.state.set({ values: { a: 2 } }, later);
      await first.state.set({ values: { b: 2 } }, later);
      await meanwhile((other) => other.state.set({ values: { a: null } }));
      await comeBack();
      const { state } = await another();
      expect((await state.get()).values).toEqual({ b: 2 });
    });
  });
});

describe('a new conversation', () => {
  it('that waits gets no key of one that is in memory', async () => {
    await withStore(async ({ app: { conversations }, another, leave, comeBack }) => {
      await conversations.list();
      leave();
      const create = (clientId: string) =>
        conversations.create({ clientId, messages: said('new'), mayDefer: true });
      await expect(create('plan')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
      await create('other');
      await expect(create('other')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
      await comeBack();
      const last = await another();
      expect(await last.conversations.list()).toHaveLength(2);
      expect((await last.conversations.load('plan')).messages).toHaveLength(1);
    });
  });
});

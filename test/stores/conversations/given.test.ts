/** Wrong arguments for the store of conversations: it writes nothing that could not be read again. */
import { describe, expect, it } from 'vitest';
import { errorOf } from '../../support/error-of.js';
import { openStore, user } from './store.js';

// biome-ignore lint/suspicious/noExplicitAny: a program in JavaScript can pass any value
type Anything = any;

const wrongMessages: [string, Anything][] = [
  ['an unknown role', [{ role: 'nobody', content: 'x' }]],
  ['no role', [{ content: 'x' }]],
  ['content that is no text', [user('fine'), { role: 'user', content: 5 }]],
  ['no content', [{ role: 'user' }]],
  ['metadata that is a text', [{ ...user('x'), metadata: 'much' }]],
  ['a parent that is a number', [{ ...user('x'), parentMessageId: 1 }]],
  ['an id that is a number', [{ ...user('x'), id: 1 }]],
  ['a time that is a number', [{ ...user('x'), createdAt: Number.NaN }]],
  ['one message instead of a list', user('x')],
  ['a list of texts', ['x']],
  ['nothing', null],
];
const wrongFields: [string, Anything][] = [
  ['a title that is a number', { title: 5 }],
  ['tags that are one text', { tags: 'soil' }],
  ['a module that is a list', { module: [] }],
  ['metadata that is a list', { metadata: [1] }],
];

describe('the store of conversations', () => {
  it.each(
    wrongMessages,
  )('refuses the message %s, and leaves the earlier messages unchanged', async (_what, wrong) => {
    const { store, folders } = await openStore();
    const code = async (call: Promise<unknown>) => (await errorOf(call)).code;
    expect(await code(store.append('new', wrong, { create: {} }))).toBe('VALIDATION_ERROR');
    if (wrong !== null)
      expect(await code(store.create({ messages: wrong }))).toBe('VALIDATION_ERROR');
    expect(folders()).toEqual([]);
    await store.append('tea', [user('before')], { create: {} });
    const [bad, good] = [store.append('tea', wrong), store.append('tea', [user('beside it')])];
    expect(await code(bad)).toBe('VALIDATION_ERROR');
    await good;
    const contents = (await store.load('tea')).messages.map(({ content }) => content);
    expect(contents).toEqual(['before', 'beside it']);
  });

  it.each(
    wrongFields,
  )('refuses %s, for a new and for an existing conversation', async (_what, wrong) => {
    const { store, another } = await openStore();
    const code = async (call: Promise<unknown>) => (await errorOf(call)).code;
    expect(await code(store.create(wrong))).toBe('VALIDATION_ERROR');
    const made = store.append('new', [user('x')], { create: wrong });
    expect(await code(made)).toBe('VALIDATION_ERROR');
    await store.append('tea', [user('before')], { create: {} });
    expect(await code(store.update('tea', wrong))).toBe('VALIDATION_ERROR');
    const second = await another();
    expect((await second.store.list()).map(({ clientId }) => clientId)).toEqual(['tea']);
    expect(second.store.damaged()).toEqual([]);
  });

  it('refuses a time that is no time, and stores any other in one form', async () => {
    const { store, another, folders } = await openStore();
    for (const wrong of [{ createdAt: 'soon' }, { updatedAt: '' }, { createdAt: {} as never }])
      expect((await errorOf(store.create(wrong))).code).toBe('VALIDATION_ERROR');
    expect(folders()).toEqual([]);
    const times = { createdAt: '2025-01-24', updatedAt: '2025-01-25T10:00:00+02:00' };
    const made = await store.create(times);
    expect(made).toMatchObject({
      createdAt: '2025-01-24T00:00:00.000Z',
      updatedAt: '2025-01-25T08:00:00.000Z',
    });
    const { store: second } = await another();
    const { messages: _, ...head } = made;
    expect(await second.list()).toEqual([head]);
  });
});

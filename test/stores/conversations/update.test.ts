/** Changes of the fields of a conversation besides its messages, and of a derived title. */
import { describe, expect, it } from 'vitest';
import { titleOf } from '../../../src/stores/conversations/document/derived-title.js';
import { messageHash } from '../../../src/stores/conversations/document/message-hash.js';
import { errorOf } from '../../support/error-of.js';
import { ID0, openStore, user } from './store.js';

describe('update', () => {
  it('sets, replaces and clears fields of a conversation and keeps the others', async () => {
    const { store, time, jsonOf, another } = await openStore();
    await store.create({ title: 'Old', tags: ['x'], metadata: { a: 1, b: null }, module: 'plan' });
    time.now += 1000;
    const head = await store.update(ID0, {
      title: 'New',
      tags: ['y', 'z', 'y', 'Z'],
      pinned: true,
      module: null,
      metadata: { a: null, c: { deep: [1] } },
    });
    expect(head).toEqual({
      conversationId: ID0,
      createdAt: '2025-01-24T13:20:00.123Z',
      updatedAt: '2025-01-24T13:20:01.123Z',
      messageCount: 0,
      title: 'New',
      tags: ['y', 'z'],
      pinned: true,
      metadata: { b: null, c: { deep: [1] } },
    });
    expect(jsonOf(ID0)).toEqual({ ...head, formatVersion: 1, messages: [] });
    expect(await (await another()).store.load(ID0)).toEqual({ ...head, messages: [] });
    const emptied = { title: null, tags: [], pinned: false, metadata: { b: null, c: null } };
    const bare = await store.update(ID0, emptied);
    expect(Object.keys(bare)).toEqual(['conversationId', 'createdAt', 'updatedAt', 'messageCount']);
  });

  it('writes nothing if nothing differs', async () => {
    const { store, time, textOf } = await openStore();
    await store.create({ title: 'T', tags: ['a'] });
    const before = textOf(ID0);
    time.now += 1000;
    const head = await store.update(ID0, { title: 'T', tags: ['a'], pinned: false, metadata: {} });
    expect(head.updatedAt).toBe('2025-01-24T13:20:00.123Z');
    expect(textOf(ID0)).toBe(before);
  });

  it('runs in order with appends, and two stores lose no change', async () => {
    const { store, another } = await openStore();
    await store.create({});
    const other = (await another()).store;
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => [
        store.append(ID0, [user(`a${n}`)]),
        store.update(ID0, { metadata: { [`a${n}`]: n } }),
        other.update(ID0, { metadata: { [`b${n}`]: n } }),
      ]).flat(),
    );
    const { messages, metadata } = await other.load(ID0);
    expect(messages.map(({ content }) => content)).toEqual(
      Array.from({ length: 20 }, (_, n) => `a${n}`),
    );
    expect(Object.keys(metadata ?? {})).toHaveLength(40);
  });

  it('keeps unknown fields of a conversation and notifies listeners', async () => {
    const { store, put, jsonOf } = await openStore();
    put(ID0, { theirs: 1, messages: [{ ...user('a'), mine: 2 }] });
    const told: (string | undefined)[] = [];
    store.follow(({ document }) => told.push(document?.head.title));
    await store.update(ID0, { title: 'T' });
    expect(jsonOf(ID0)).toMatchObject({ theirs: 1, title: 'T', messages: [{ mine: 2 }] });
    expect(told.at(-1)).toBe('T');
  });

  it('refuses invalid values, and then changes nothing', async () => {
    const { store, textOf } = await openStore();
    await store.create({ title: 'T' });
    const before = textOf(ID0);
    const bad = store.update(ID0, { title: 'N', metadata: { n: 1n } });
    expect((await errorOf(bad)).code).toBe('VALIDATION_ERROR');
    expect((await errorOf(store.update('no-such', { title: 'N' }))).code).toBe(
      'CONVERSATION_NOT_FOUND',
    );
    expect((await errorOf(store.update('../x', { title: 'N' }))).code).toBe('VALIDATION_ERROR');
    expect(textOf(ID0)).toBe(before);
  });
});

describe('a title that was derived from a message', () => {
  it('is the first sentence of the first user message, once', async () => {
    const { store } = await openStore();
    const system = { role: 'system', content: 'You are helpful.' } as const;
    await store.append('k', [system], { create: true });
    expect((await store.load('k')).title).toBeUndefined();
    await store.append('k', [user('What is the capital of France? Tell me.')]);
    const { title, titleFrom, messages } = await store.load('k');
    expect([title, titleFrom]).toEqual(['What is the capital of France?', messages[1]?.id]);
    await store.update('k', { title: null });
    await store.append('k', [user('And of Spain?')]);
    expect((await store.load('k')).title).toBeUndefined();
    const [, first] = messages;
    await store.edits.update('k', first?.id ?? '', 'Of France?', messageHash(first?.content ?? ''));
    expect((await store.load('k')).title).toBeUndefined();
    const given = await store.create({ title: 'Mine', messages: [user('Hello')] });
    expect(given.title).toBe('Mine');
  });

  it('counts as derived until a tool or a hand edit changes it', async () => {
    const { store, put, jsonOf, another } = await openStore();
    const made = await store.create({ messages: [user(`# Peas:\n${'and beans '.repeat(20)}`)] });
    const id = made.conversationId;
    expect((await (await another()).store.load(id)).titleFrom).toBe(made.messages[0]?.id);
    put(id, { ...jsonOf(id), title: 'By hand' });
    expect((await store.load(id)).titleFrom).toBeUndefined();
    const other = await store.create({ messages: [user('Hello there')] });
    const same = await store.update(other.conversationId, { title: 'Hello there', pinned: true });
    expect(same.titleFrom).toBe(other.messages[0]?.id);
    const given = await store.update(other.conversationId, { title: 'Mine' });
    expect([given.title, given.titleFrom]).toEqual(['Mine', undefined]);
    const branch = await store.branch(id, made.messages[0]?.id ?? '');
    expect([branch.title, branch.titleFrom]).toEqual(['By hand', undefined]);
  });

  it('comes from the first message that is not only a command for a program', async () => {
    const { store } = await openStore();
    const made = await store.create({ messages: [user('/clear'), user('Where do peas go?')] });
    expect([made.title, made.titleFrom]).toEqual(['Where do peas go?', made.messages[1]?.id]);

    const { conversationId: id } = await store.create({ messages: [user('/clear')] });
    expect((await store.load(id)).title).toBe('/clear');
    await store.append(id, [user('/model')]);
    expect((await store.load(id)).title).toBe('/clear');
    await store.append(id, [user('And beans?'), user('And leeks?')]);
    const { title, titleFrom, messages } = await store.load(id);
    expect([title, titleFrom]).toEqual(['And beans?', messages[2]?.id]);

    const given = await store.create({ messages: [user('/clear')] });
    await store.update(given.conversationId, { title: null });
    await store.append(given.conversationId, [user('Where?')]);
    expect((await store.load(given.conversationId)).title).toBeUndefined();
  });

  it.each([
    ['Hello there.', 'Hello there'],
    ['\n\n## Plan:  the\tgarden\nmore', 'Plan: the garden'],
    ['> - quoted', 'quoted'],
    ['Version 3.5 is out. Really.', 'Version 3.5 is out'],
    ['```js\nconst a = 1\n```', 'const a = 1'],
    ['法国的首都是哪里？请告诉我。', '法国的首都是哪里？'],
    [`${'word '.repeat(40)}`, `${'word '.repeat(15)}word…`],
    ['🙂 !!! …', undefined],
    ['', undefined],
    ['a\u0000b\u202e', 'a b\u202e'],
  ])('is derived from %j as %j', (content, title) => {
    expect(titleOf(content)).toBe(title);
  });

  it.each([
    ['漢'.repeat(500)],
    ['x'.repeat(5000)],
    [`${'👨‍👩‍👧‍👦'.repeat(100)} a`],
    ['語'.repeat(30) + 'かな'.repeat(60)],
  ])('has at most 81 characters, and none is divided (%#)', (content) => {
    const title = titleOf(content) ?? '';
    expect(title.length).toBeLessThanOrEqual(81);
    expect(title.isWellFormed()).toBe(true);
  });
});

describe('create with given times and ids', () => {
  it('keeps ids, times, key and fields, and the id has the given time', async () => {
    const { store } = await openStore();
    const made = await store.create({
      createdAt: '2020-02-03T04:05:06.007Z',
      updatedAt: '2020-02-04T00:00:00.000Z',
      clientId: 'mine',
      pinned: true,
      messages: [
        { ...user('a'), id: 'one', createdAt: '2020-02-03T05:05:06+01:00' },
        { ...user('b'), id: 'two', parentMessageId: 'one', createdAt: '2020-02-04T00:00:00.000Z' },
      ],
    });
    expect(made).toMatchObject({
      conversationId: `20200203-${Date.parse('2020-02-03T04:05:06.007Z')}`,
      createdAt: '2020-02-03T04:05:06.007Z',
      updatedAt: '2020-02-04T00:00:00.000Z',
      clientId: 'mine',
      messages: [
        { id: 'one', createdAt: '2020-02-03T04:05:06.000Z' },
        { id: 'two', parentMessageId: 'one' },
      ],
    });
    expect(await store.load('mine')).toEqual(made);
    expect((await errorOf(store.create({ clientId: 'mine' }))).code).toBe('ALREADY_EXISTS');
  });

  it.each([
    [
      [
        { ...user('a'), id: 'x' },
        { ...user('b'), id: 'x' },
      ],
      'VALIDATION_ERROR',
    ],
    [[{ ...user('a'), createdAt: 'yesterday' }], 'VALIDATION_ERROR'],
    [[{ ...user('a'), id: '' }], 'VALIDATION_ERROR'],
    [
      [
        { ...user('a'), id: 'x', parentMessageId: 'y' },
        { ...user('b'), id: 'y' },
      ],
      'MESSAGE_NOT_FOUND',
    ],
  ])('refuses invalid messages (%#)', async (messages, code) => {
    const { store, folders } = await openStore();
    expect((await errorOf(store.create({ messages }))).code).toBe(code);
    expect(folders()).toEqual([]);
  });
});

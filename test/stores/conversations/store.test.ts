/** The conversation store: create, append, load, list, keys, limits, and the code of each failure. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { callsDuring } from '../../support/fs-tap.js';
import { tempFolder, withUmask } from '../../support/temp-folder.js';
import { assistant, ID0, openStore, T0, UUID, user } from './store.js';

const code = (name: string) => expect.objectContaining({ code: name });

describe('create and load', () => {
  it('creates a dated folder with the file, and load returns the same', async () => {
    const { store, logsFolder, fileOf, another } = await openStore();
    const made = await store.create({
      messages: [user('Hi'), assistant('Hello')],
      title: 'T',
      tags: ['a'],
    });
    expect(made).toMatchObject({
      conversationId: ID0,
      createdAt: '2025-01-24T13:20:00.123Z',
      updatedAt: '2025-01-24T13:20:00.123Z',
      messageCount: 2,
      title: 'T',
      tags: ['a'],
    });
    expect(made.messages.map(({ id }) => UUID.test(id))).toEqual([true, true]);
    expect(await store.load(ID0)).toEqual(made);
    expect(await (await another()).store.load(ID0)).toEqual(made);
    expect(store.path(ID0)).toBe(join(logsFolder, ID0));
    expect(existsSync(fileOf(ID0))).toBe(true);
    expect(readdirSync(join(logsFolder, '.locks'))).toEqual([]);
  });

  it('adds a millisecond until the id is free, also if another store uses it', async () => {
    const { store, another } = await openStore();
    const other = (await another()).store;
    const made = await Promise.all([store, other, store, other].map((s) => s.create({})));
    const ids = made.map(({ conversationId }) => conversationId).sort();
    expect(ids).toEqual([0, 1, 2, 3].map((n) => `20250124-${T0 + n}`));
  });

  it.each([0o000, 0o022, 0o077])('is private under the umask %o', async (mask) => {
    const { store, logsFolder, fileOf } = await openStore();
    await withUmask(mask, () => store.create({}));
    expect(statSync(join(logsFolder, ID0)).mode & 0o777).toBe(0o700);
    expect(statSync(fileOf(ID0)).mode & 0o777).toBe(0o600);
    expect(statSync(logsFolder).mode & 0o777).toBe(0o700);
  });

  it('leaves no folder if the first messages are refused', async () => {
    const { store, folders } = await openStore({ maxMessages: 1 });
    await expect(store.create({ messages: [user('a'), user('b')] })).rejects.toEqual(
      code('CONVERSATION_FULL'),
    );
    await expect(store.create({ metadata: { n: 1n } })).rejects.toEqual(code('VALIDATION_ERROR'));
    expect(folders()).toEqual([]);
  });
});

describe('append', () => {
  it('adds one or several, with their positions', async () => {
    const { store, time } = await openStore();
    await store.create({});
    time.now += 1000;
    const first = await store.append(ID0, [user('a')]);
    expect(first).toMatchObject({
      seq: 1,
      created: false,
      head: { messageCount: 1, updatedAt: '2025-01-24T13:20:01.123Z' },
    });
    const second = await store.append(ID0, [assistant('b'), user('c')]);
    expect(second.seq).toBe(2);
    expect(second.messages.map(({ content }) => content)).toEqual(['b', 'c']);
    expect((await store.append(ID0, [])).seq).toBe(4);
    const { messages, createdAt } = await store.load(ID0);
    expect(messages).toEqual([...first.messages, ...second.messages]);
    expect(createdAt).toBe('2025-01-24T13:20:00.123Z');
  });

  it('keeps the order of calls, loses none, and writes waiting messages together', async () => {
    const { store, another, fileOf } = await openStore();
    await store.create({});
    const inodes = new Set<number>();
    const seqs = await Promise.all(
      Array.from({ length: 300 }, async (_, n) => {
        const { seq } = await store.append(ID0, [user(`${n}`)]);
        inodes.add(statSync(fileOf(ID0)).ino);
        return seq;
      }),
    );
    expect(seqs).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
    const { messages } = await (await another()).store.load(ID0);
    expect(messages.map(({ content }) => content)).toEqual(seqs.map((seq) => `${seq - 1}`));
    expect(inodes.size).toBeLessThan(5);
  });

  it('lets two stores append to one conversation at the same time', async () => {
    const { store, another } = await openStore();
    await store.create({});
    const other = (await another()).store;
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        await Promise.all([store.append(ID0, [user(`a${n}`)]), other.append(ID0, [user(`b${n}`)])]);
      }),
    );
    const contents = (await store.load(ID0)).messages.map(({ content }) => content);
    expect(contents).toHaveLength(40);
    const expected = Array.from({ length: 20 }, (_, n) => `b${n}`);
    expect(contents.filter((content) => content.startsWith('b'))).toEqual(expected);
    expect(await other.load(ID0)).toEqual(await store.load(ID0));
  });

  it('does not change an earlier result when more is added', async () => {
    const { store } = await openStore();
    const metadata = { list: [1] };
    await store.create({ messages: [{ ...user('a'), metadata }] });
    metadata.list.push(2);
    const before = await store.load(ID0);
    const copy = structuredClone(before);
    await store.append(ID0, [user('b')]);
    expect(before).toEqual(copy);
    expect(before.messages[0]?.metadata).toEqual({ list: [1] });
  });

  it('refuses only the invalid call: limit, parent, values that JSON cannot represent', async () => {
    const { store } = await openStore({ maxMessages: 3 });
    const { messages } = await store.create({ messages: [user('a')] });
    const parentMessageId = messages[0]?.id ?? '';
    const results = await Promise.allSettled([
      store.append(ID0, [{ ...user('b'), parentMessageId: 'none' }]),
      store.append(ID0, [user('c'), user('d'), user('e')]),
      store.append(ID0, [{ ...user('f'), metadata: { n: 1n } }]),
      store.append(ID0, [{ ...assistant('g'), parentMessageId }]),
      store.append(ID0, [user('h')]),
      store.append(ID0, [user('i')]),
    ]);
    const outcomes = results.map((r) => (r.status === 'rejected' ? r.reason.code : r.value.seq));
    expect(outcomes).toEqual([
      'MESSAGE_NOT_FOUND',
      'CONVERSATION_FULL',
      'VALIDATION_ERROR',
      2,
      3,
      'CONVERSATION_FULL',
    ]);
    const stored = (await store.load(ID0)).messages;
    expect(stored.map(({ content }) => content)).toEqual(['a', 'g', 'h']);
    expect(stored[1]?.parentMessageId).toBe(parentMessageId);
  });

  it('writes nothing if `skipIf` returns true for the present conversation', async () => {
    const { store, another, textOf } = await openStore();
    await store.create({ messages: [user('a')] });
    const isThere = {
      skipIf: ({ messages }: { messages: readonly { content: string }[] }) =>
        messages.some(({ content }) => content === 'b'),
    };
    await (await another()).store.append(ID0, [user('b')]);
    const before = textOf(ID0);
    expect(await store.append(ID0, [user('b')], isThere)).toMatchObject({ messages: [], seq: 3 });
    expect(textOf(ID0)).toBe(before);
    const both = await Promise.all([
      store.append(ID0, [user('c')]),
      store.append(ID0, [user('d')], {
        skipIf: ({ messages }) => messages.at(-1)?.content === 'c',
      }),
    ]);
    expect(both.map(({ messages }) => messages.length)).toEqual([1, 0]);
  });

  it('has written all accepted messages when close resolves', async () => {
    const { store, another } = await openStore();
    await store.create({});
    for (let n = 0; n < 10; n += 1) void store.append(ID0, [user(`${n}`)]);
    await store.close();
    expect((await (await another()).store.load(ID0)).messageCount).toBe(10);
  });
});

describe('keys of the caller', () => {
  it('create a conversation once, and can be used instead of its id everywhere', async () => {
    const { store, another } = await openStore();
    await expect(store.append('my-chat', [user('a')])).rejects.toEqual(
      code('CONVERSATION_NOT_FOUND'),
    );
    const made = await store.append('my-chat', [user('a')], { create: true });
    expect(made).toMatchObject({
      created: true,
      seq: 1,
      head: { clientId: 'my-chat', conversationId: ID0 },
    });
    expect(await store.append('my-chat', [user('b')], { create: true })).toMatchObject({
      created: false,
      seq: 2,
    });
    expect((await (await another()).store.load('my-chat')).messageCount).toBe(2);
    expect(await store.exists('my-chat')).toBe(true);
    expect(await store.exists('other')).toBe(false);
  });

  it('create one conversation if many calls of two stores use the same new key', async () => {
    const { store, another } = await openStore();
    const other = (await another()).store;
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : other).append('key', [user(`${n}`)], { create: true }),
      ),
    );
    expect(new Set(results.map(({ head }) => head.conversationId)).size).toBe(1);
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect((await store.load('key')).messageCount).toBe(20);
    expect(await store.list()).toHaveLength(1);
  });

  it('create nothing if every message is refused', async () => {
    const { store } = await openStore({ maxMessages: 0 });
    await expect(store.append('key', [user('a')], { create: true })).rejects.toEqual(
      code('CONVERSATION_FULL'),
    );
    expect(await store.list()).toEqual([]);
    expect(await store.exists('key')).toBe(false);
  });

  it.each([
    '.',
    '..',
    'con',
    '__proto__',
    'constructor',
    'a'.repeat(128),
    '-rf',
    '2025',
  ])('are data and never file names: %s', async (key) => {
    const { store, folders } = await openStore();
    await store.append(key, [user('a')], { create: true });
    expect((await store.load(key)).clientId).toBe(key);
    expect(folders()).toEqual([ID0]);
  });
});

describe('an append', () => {
  it('is written once and rejects with the error if a follower fails', async () => {
    const { store, jsonOf } = await openStore();
    const { conversationId } = await store.create({ messages: [user('one')] });
    let fault: Error | undefined;
    store.follow(() => {
      if (fault !== undefined) throw fault;
    });
    await store.refresh();
    for (const content of ['two', 'three']) {
      fault = Object.assign(new Error(content), { code: 'ENOENT' });
      await expect(store.append(conversationId, [user(content)])).rejects.toBe(fault);
    }
    fault = undefined;
    await store.append(conversationId, [user('four')]);
    const { messages } = jsonOf(conversationId) as { messages: { content: string }[] };
    expect(messages.map(({ content }) => content)).toEqual(['one', 'two', 'three', 'four']);
  });

  it('that skips its messages returns only after the present content is durable', async () => {
    const logsFolder = join(tempFolder(), 'logs');
    const store = await openConversationStore({ logsFolder, maxMessages: 9, fsync: true });
    const { conversationId } = await store.create({ title: 'T', messages: [user('one')] });
    const folder = join(logsFolder, conversationId);
    const nothing = [
      () => store.append(conversationId, [user('one')], { skipIf: () => true }),
      () => store.update(conversationId, { title: 'T' }),
    ];
    for (const act of nothing) {
      const calls = await callsDuring(logsFolder, act);
      expect(calls).toContainEqual(expect.objectContaining({ name: 'fsync', path: folder }));
      expect(calls.filter(({ name }) => name === 'write')).toEqual([]);
    }
    await store.close();
  });
});

describe('references', () => {
  const HOSTILE = [
    '',
    ' ',
    '../../etc/passwd',
    '..\\x',
    '/etc/passwd',
    'C:\\x',
    'a/b',
    'a\0b',
    `${ID0}\n`,
    `${ID0}/..`,
    ` ${ID0}`,
    '20250124-170610240012',
    `${ID0}0`,
    '20250124-x'.replace('x', '1x'),
    'a'.repeat(129),
    'x'.repeat(1_000_000),
    'ключ',
    '\ud800',
    '\u001b[31m',
    'a b',
    `${ID0}\u202e`,
  ];

  it.each(
    HOSTILE.map((ref) => [ref.slice(0, 40), ref]),
  )('%j is refused without access to a file', async (_, ref) => {
    const { store, logsFolder } = await openStore();
    // An access to the file system would now fail with another code, or create the folder.
    rmSync(logsFolder, { recursive: true });
    const invalid = code('VALIDATION_ERROR');
    await expect(store.load(ref)).rejects.toEqual(invalid);
    await expect(store.exists(ref)).rejects.toEqual(invalid);
    await expect(store.append(ref, [user('a')], { create: true })).rejects.toEqual(invalid);
    await expect(store.removeIf(ref, () => true)).rejects.toEqual(invalid);
    expect(() => store.path(ref)).toThrow(invalid);
    expect(existsSync(logsFolder)).toBe(false);
  });

  it('an unknown id is not found, and creates nothing', async () => {
    const { store, folders } = await openStore();
    for (const ref of ['00000000-0000000000000', '99999999-9999999999999', ID0]) {
      await expect(store.load(ref)).rejects.toEqual(code('CONVERSATION_NOT_FOUND'));
      await expect(store.append(ref, [user('a')], { create: true })).rejects.toEqual(
        code('CONVERSATION_NOT_FOUND'),
      );
      expect(await store.exists(ref)).toBe(false);
      expect(await store.removeIf(ref, () => true)).toBe(false);
    }
    expect(folders()).toEqual([]);
  });
});

describe('list, removeIf and tidy', () => {
  it('list returns the newest first; conversations of the same time by id', async () => {
    const { store, time } = await openStore();
    const [a, b, c] = [
      await store.create({ title: 'a' }),
      await store.create({ title: 'b' }),
      await store.create({ title: 'c' }),
    ];
    expect((await store.list()).map(({ title }) => title)).toEqual(['c', 'b', 'a']);
    time.now += 5000;
    await store.append(a.conversationId, [user('x')]);
    expect((await store.list()).map(({ title }) => title)).toEqual(['a', 'c', 'b']);
    expect(await store.list()).not.toContainEqual(
      expect.objectContaining({ messages: expect.anything() }),
    );
    expect([b, c].map(({ messageCount }) => messageCount)).toEqual([0, 0]);
  });

  it('list returns all conversations that were created before the call, also during other lists', async () => {
    const { store, another } = await openStore();
    const other = (await another()).store;
    for (let n = 1; n <= 30; n += 1) {
      const running = store.list();
      await (n % 2 ? store : other).create({});
      expect(await store.list()).toHaveLength(n);
      await running;
    }
  });

  it('list ignores other folders and files', async () => {
    const { store, logsFolder, put } = await openStore();
    put('.trash', {});
    put('notes', {});
    mkdirSync(join(logsFolder, ID0));
    expect(await store.list()).toEqual([]);
    expect(store.damaged()).toEqual([]);
  });

  it('removeIf removes a conversation permanently only if the condition is true', async () => {
    const { store, folders } = await openStore();
    await store.append('key', [user('a')], { create: true });
    expect(await store.removeIf(ID0, ({ messages }) => messages.length === 0)).toBe(false);
    expect(await store.removeIf(ID0, ({ messages }) => messages.length === 1)).toBe(true);
    await expect(store.load('key')).rejects.toEqual(code('CONVERSATION_NOT_FOUND'));
    expect(folders()).toEqual([]);
  });

  it('tidy removes abandoned empty folders, and no folder with content', async () => {
    const { store, logsFolder, put, folders } = await openStore();
    await store.create({});
    mkdirSync(join(logsFolder, '20250101-1735689600000'));
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(join(logsFolder, '20250101-1735689600000'), hourAgo, hourAgo);
    mkdirSync(join(logsFolder, '20250101-1735689600003')); // another process may be about to fill it
    put('20250101-1735689600001', '{');
    mkdirSync(join(logsFolder, '20250101-1735689600002', 'mine'), { recursive: true });
    await store.tidy();
    expect(folders()).toEqual([
      ...['20250101-1735689600001', '20250101-1735689600002', '20250101-1735689600003'],
      ID0,
    ]);
  });
});

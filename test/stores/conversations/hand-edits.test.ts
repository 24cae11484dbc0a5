/**
 * Files that people, git and other processes change while the store is open: changes are seen at once,
 * corrected at the next write, and nothing is guessed if data could be lost.
 */
import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isAppError } from '../../../src/base/errors.js';
import { assistant, ID0, openStore, T0, UUID, user } from './store.js';

const code = (name: string) => expect.objectContaining({ code: name });
const ID1 = '20250101-1735689600000';

describe('messages added by hand', () => {
  it('need only role and content, and have the same id in every store until it is stored', async () => {
    const { store, put, another, jsonOf } = await openStore();
    put(ID1, { messages: [user('a'), assistant('b'), user('a')] });
    const first = await store.load(ID1);
    expect(await (await another()).store.load(ID1)).toEqual(first);
    const ids = first.messages.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => UUID.test(id))).toBe(true);
    expect(first).toMatchObject({
      conversationId: ID1,
      createdAt: '2025-01-01T00:00:00.000Z',
      messageCount: 3,
    });
    put(ID1, { messages: [user('new, above'), user('a'), assistant('b'), user('a')] });
    expect((await store.load(ID1)).messages.slice(1).map(({ id }) => id)).toEqual(ids);
    await store.append(ID1, [user('c')]);
    expect(
      jsonOf(ID1)
        .messages.slice(1, 4)
        .map(({ id }: { id: string }) => id),
    ).toEqual(ids);
  });

  it('never get an id that another message has', async () => {
    const { store, put, jsonOf } = await openStore();
    put(ID1, { messages: [user('same')] });
    await store.append(ID1, [user('x')]);
    const stored = jsonOf(ID1);
    put(ID1, { messages: [user('same'), ...stored.messages, user('same')] });
    const ids = (await store.load(ID1)).messages.map(({ id }) => id);
    expect(ids[1]).toBe(stored.messages[0].id);
    expect(new Set(ids).size).toBe(4);
  });

  it('keep the first of two equal ids; the second message gets the same new id in every store', async () => {
    const { store, put, another } = await openStore();
    put(ID1, {
      messages: [
        { ...user('a'), id: 'x' },
        { ...user('b'), id: 'x' },
        { ...user('c'), id: '' },
      ],
    });
    const ids = (await store.load(ID1)).messages.map(({ id }) => id);
    expect(ids[0]).toBe('x');
    expect(new Set(ids).size).toBe(3);
    expect((await (await another()).store.load(ID1)).messages.map(({ id }) => id)).toEqual(ids);
  });

  it('have the time of the message before, and all times have one form', async () => {
    const { store, put } = await openStore();
    put(ID1, {
      createdAt: '2025-01-01T01:00:00+01:00',
      updatedAt: 'whenever',
      messages: [
        user('a'),
        { ...user('b'), createdAt: '2025-01-02T00:00:00Z' },
        { ...user('c'), createdAt: 'soon' },
        { ...user('d'), createdAt: '+056000-01-01T00:00:00.000Z' }, // microseconds instead of milliseconds
      ],
    });
    const { createdAt, updatedAt, messages } = await store.load(ID1);
    expect([createdAt, updatedAt, ...messages.map((message) => message.createdAt)]).toEqual([
      '2025-01-01T00:00:00.000Z',
      '2025-01-02T00:00:00.000Z',
      '2025-01-01T00:00:00.000Z',
      '2025-01-02T00:00:00.000Z',
      '2025-01-02T00:00:00.000Z',
      '2025-01-02T00:00:00.000Z',
    ]);
  });

  it('treat null as absent', async () => {
    const { store, put } = await openStore();
    put(ID1, {
      title: null,
      tags: null,
      messages: [{ ...user('a'), parentMessageId: null, metadata: null }],
    });
    const { messages, ...head } = await store.load(ID1);
    expect([Object.keys(head), Object.keys(messages[0] ?? {})].flat()).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/title|tags|parentMessageId|metadata/)]),
    );
  });
});

describe('edits of the file', () => {
  it('are seen by the next load, list and append', async () => {
    const { store, put, jsonOf, fileOf, another } = await openStore();
    await store.create({ messages: [user('a')] });
    put(ID0, {
      ...jsonOf(ID0),
      title: 'By hand',
      messages: [...jsonOf(ID0).messages, assistant('mine')],
    });
    expect((await store.load(ID0)).messages.map(({ content }) => content)).toEqual(['a', 'mine']);
    expect((await store.list())[0]).toMatchObject({ title: 'By hand', messageCount: 2 });
    put(ID0, readFileSync(fileOf(ID0), 'utf8').replace('mine', 'MINE'));
    await (await another()).store.append(ID0, [user('theirs')]);
    await store.append(ID0, [user('ours')]);
    expect((await store.load(ID0)).messages.map(({ content }) => content)).toEqual([
      'a',
      'MINE',
      'theirs',
      'ours',
    ]);
    expect(jsonOf(ID0).title).toBe('By hand');
  });

  it('lead to corrected counts; unknown fields and __proto__ are kept exactly', async () => {
    const { store, put, jsonOf, textOf } = await openStore();
    const odd = '{"__proto__": {"a": 1}, "constructor": null, "toString": [{"__proto__": 2}]}';
    put(
      ID1,
      `{"zeta": ${odd}, "messageCount": 99, "conversationId": "wrong", "metadata": ${odd},
      "messages": [{"mood": ${odd}, "content": "a", "role": "user", "metadata": ${odd}}], "alpha": "\\ud800"}`,
    );
    expect((await store.load(ID1)).messageCount).toBe(1);
    await store.append(ID1, [{ ...user('b'), metadata: JSON.parse(odd) }]);
    const file = jsonOf(ID1);
    expect(file).toMatchObject({ messageCount: 2, conversationId: ID1, alpha: '\ud800' });
    const values = [
      file.zeta,
      file.metadata,
      file.messages[0].mood,
      file.messages[0].metadata,
      file.messages[1].metadata,
    ];
    expect(values.map((value) => JSON.stringify(value))).toEqual(
      values.map(() => JSON.stringify(JSON.parse(odd))),
    );
    expect(({} as { a?: number }).a).toBeUndefined();
    const before = textOf(ID1);
    const { messages } = await store.load(ID1);
    expect(JSON.stringify(messages[1]?.metadata)).toBe(JSON.stringify(JSON.parse(odd)));
    expect(textOf(ID1)).toBe(before);
  });

  it('may have a byte-order mark and CRLF; the next write has LF and UTF-8', async () => {
    const { store, textOf, put } = await openStore();
    await store.create({ messages: [user('a\r\nb')] });
    put(ID0, `\ufeff${textOf(ID0).replaceAll('\n', '\r\n')}`);
    await store.append(ID0, [user('c')]);
    expect(textOf(ID0)).not.toMatch(/\r|\ufeff/);
    expect((await store.load(ID0)).messages[0]?.content).toBe('a\r\nb');
  });

  it('may delete and restore the file, and rename the folder', async () => {
    const { store, logsFolder, textOf, put } = await openStore();
    await store.append('key', [user('a')], { create: true });
    const text = textOf(ID0);
    rmSync(join(logsFolder, ID0), { recursive: true });
    await expect(store.load(ID0)).rejects.toEqual(code('CONVERSATION_NOT_FOUND'));
    await expect(store.load('key')).rejects.toEqual(code('CONVERSATION_NOT_FOUND'));
    await expect(store.append(ID0, [user('b')])).rejects.toEqual(code('CONVERSATION_NOT_FOUND'));
    expect(await store.list()).toEqual([]);
    put(ID0, text);
    renameSync(join(logsFolder, ID0), join(logsFolder, ID1));
    expect((await store.load('key')).conversationId).toBe(ID1);
  });

  it('may copy a folder: each copy has the id of its folder, and the older one keeps the key', async () => {
    const { store, logsFolder, jsonOf, another } = await openStore();
    await store.append('key', [user('a')], { create: true });
    const copy = `20250125-${T0 + 1}`;
    cpSync(join(logsFolder, ID0), join(logsFolder, copy), { recursive: true });
    expect((await store.load(copy)).conversationId).toBe(copy);
    await store.append(copy, [user('of the copy')]);
    expect(jsonOf(copy)).toMatchObject({ conversationId: copy, messageCount: 2 });
    expect((await store.list()).length).toBe(2);
    const other = (await another()).store;
    for (const each of [store, other]) expect((await each.load('key')).conversationId).toBe(ID0);
    rmSync(join(logsFolder, ID0), { recursive: true });
    for (const each of [store, other]) {
      expect(await each.append('key', [user('b')], { create: true })).toMatchObject({
        created: false,
        head: { conversationId: copy },
      });
    }
  });
});

describe('damaged files', () => {
  const DAMAGED: [string, string | Uint8Array, object][] = [
    ['empty', '', { line: 1, column: 1 }],
    ['cut', '{\n  "messages": [', { line: 2, column: 16 }],
    ['not UTF-8', Buffer.from([0x7b, 0x0a, 0xff]), { line: 2, column: 1 }],
    ['merge marks', '<<<<<<< HEAD\n{}\n', { line: 1, column: 1 }],
    ['nested for ever', '['.repeat(100_000), { line: 1 }],
    ['a list', '[]', { at: '' }],
    ['without messages', '{}', { at: 'messages' }],
    ['messages of the wrong kind', '{"messages": {}}', { at: 'messages' }],
    ['a message that is none', '{"messages": [null]}', { at: 'messages[0]' }],
    [
      'an unknown role',
      '{"messages": [{"role": "user", "content": "a"}, {"role": "tool", "content": ""}]}',
      { at: 'messages[1].role' },
    ],
    [
      'content that is no text',
      '{"messages": [{"role": "user", "content": ["a"]}]}',
      { at: 'messages[0].content' },
    ],
    [
      'metadata that is no object',
      '{"messages": [{"role": "user", "content": "", "metadata": []}]}',
      { at: 'messages[0].metadata' },
    ],
    [
      'a parent that is no id',
      '{"messages": [{"role": "user", "content": "", "parentMessageId": 1}]}',
      { at: 'messages[0].parentMessageId' },
    ],
    ['a title that is no text', '{"title": 1, "messages": []}', { at: 'title' }],
    ['tags that are no texts', '{"tags": [1], "messages": []}', { at: 'tags' }],
    ['a key that is none', '{"clientId": "a b", "messages": []}', { at: 'clientId' }],
    [
      'a version that is no number',
      '{"formatVersion": "1", "messages": []}',
      { at: 'formatVersion' },
    ],
  ];

  it.each(
    DAMAGED,
  )('%s: reported with the position, not changed, and without an effect on others', async (_, content, place) => {
    const { store, put, fileOf } = await openStore();
    await store.append('key', [user('a')], { create: true });
    put(ID1, content);
    const { at, ...details } = place as { at?: string };
    const error = await store.load(ID1).then(
      () => undefined,
      (reason) => reason,
    );
    expect(isAppError(error, 'CONVERSATION_CORRUPTED')).toBe(true);
    expect(error.details).toMatchObject({ path: fileOf(ID1), ...details });
    if (at) expect(error.details.at).toBe(at);
    await expect(store.append(ID1, [user('b')])).rejects.toEqual(code('CONVERSATION_CORRUPTED'));
    await expect(store.removeIf(ID1, () => true)).rejects.toEqual(code('CONVERSATION_CORRUPTED'));
    expect(await store.list()).toHaveLength(1);
    expect(store.damaged()).toEqual([
      { conversationId: ID1, error: code('CONVERSATION_CORRUPTED') },
    ]);
    expect(await store.append('key', [user('b')])).toMatchObject({ seq: 2 });
    await store.append('another', [user('b')], { create: true });
    await store.tidy();
    expect(readFileSync(fileOf(ID1))).toEqual(Buffer.from(content));
    put(ID1, { messages: [] });
    expect(await store.list()).toHaveLength(3);
    expect(store.damaged()).toEqual([]);
  });

  it('of a newer format are not changed', async () => {
    const { store, put, textOf } = await openStore();
    put(ID1, '{"formatVersion": 2, "messages": "in another place"}');
    await expect(store.load(ID1)).rejects.toEqual(code('FORMAT_TOO_NEW'));
    await expect(store.append(ID1, [user('a')])).rejects.toEqual(code('FORMAT_TOO_NEW'));
    expect(await store.list()).toEqual([]);
    expect(store.damaged()[0]?.error.code).toBe('FORMAT_TOO_NEW');
    expect(textOf(ID1)).toContain('another place');
  });

  it('hand edits that cannot be read hide no other conversation, and are read again later', async () => {
    const { store, logsFolder, fileOf, put } = await openStore();
    await store.create({});
    mkdirSync(fileOf(ID1), { recursive: true });
    const loop = '20250102-1735776000000';
    mkdirSync(join(logsFolder, loop));
    symlinkSync('conversation.json', fileOf(loop));
    writeFileSync(join(logsFolder, '20250103-1735862400000'), 'a file where a folder should be');
    for (const [id, expected] of [
      [ID1, 'FILESYSTEM_ERROR'],
      [loop, 'PATH_ESCAPE'],
    ] as const) {
      await expect(store.load(id)).rejects.toEqual(code(expected));
      await expect(store.append(id, [user('a')])).rejects.toEqual(code(expected));
    }
    await expect(store.load('20250103-1735862400000')).rejects.toEqual(
      code('CONVERSATION_NOT_FOUND'),
    );
    expect(await store.list()).toHaveLength(1);
    expect(
      store
        .damaged()
        .map(({ error }) => error.code)
        .sort(),
    ).toEqual(['FILESYSTEM_ERROR', 'PATH_ESCAPE']);
    rmSync(fileOf(ID1), { recursive: true });
    rmSync(fileOf(loop));
    put(ID1, { messages: [] });
    expect(await store.list()).toHaveLength(2);
    expect(store.damaged()).toEqual([]);
  });

  it('are reported too if the conversation was in memory before', async () => {
    const { store, logsFolder, fileOf } = await openStore();
    await store.create({});
    await store.load(ID0);
    rmSync(join(logsFolder, ID0), { recursive: true });
    writeFileSync(join(logsFolder, ID0), 'a file now');
    await expect(store.load(ID0)).rejects.toEqual(code('CONVERSATION_NOT_FOUND'));
    rmSync(join(logsFolder, ID0));
    mkdirSync(fileOf(ID0), { recursive: true });
    await expect(store.load(ID0)).rejects.toEqual(code('FILESYSTEM_ERROR'));
  });
});

it('a folder that was moved away for a moment while Daybook looked for it is listed again', async () => {
  const { store, logsFolder, put, fileOf } = await openStore();
  put(ID0, { messages: [user('a')] });
  utimesSync(fileOf(ID0), 1, 1); // the watcher checks a new file again
  await store.watch();
  const away = join(logsFolder, 'away');
  renameSync(store.path(ID0), away);
  await store.refresh();
  renameSync(away, store.path(ID0)); // before the watcher looked
  await vi.waitFor(async () => expect(await store.list()).toHaveLength(1), { timeout: 20_000 });
  put(ID0, 'damaged');
  await store.refresh();
  rmSync(store.path(ID0), { recursive: true });
  await vi.waitFor(() => expect(store.damaged()).toEqual([]), { timeout: 20_000 });
  await store.close();
}, 60_000);

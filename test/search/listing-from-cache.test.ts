/**
 * Commands list from the index cache: no file is read that is unchanged since, and the answers are those of
 * the files.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.js';
import { readCachedHeads } from '../../src/search/cache/index-cache.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { errorOf } from '../support/error-of.js';
import { cacheFolder, saveCache } from './cache-harness.js';
import { type HandWritten, idOf, openPlace, put, sample } from './search-place.js';

const CONVERSATIONS = 40;

const withKey = (n: number): HandWritten => ({ ...sample(n), clientId: `key-${n}` });

/** Conversations with keys, and a cache of them; changes come afterwards. */
async function cachedPlace() {
  const { logsFolder, cachePath: path } = cacheFolder('index.bin', 0, 0);
  for (let n = 0; n < CONVERSATIONS; n += 1) put(logsFolder, idOf(n), withKey(n));
  await saveCache(logsFolder, path);
  const plain = { logsFolder, maxMessages: 10_000, fsync: false };
  const openPlain = () => openConversationStore(plain);
  const open = async () => {
    const store = await openConversationStore({
      ...plain,
      cachedHeads: () => readCachedHeads({ path, log: silentLog }),
    });
    const read: string[] = [];
    store.followFromNow(({ conversationId }) => read.push(conversationId));
    return { store, read };
  };
  return { logsFolder, open, openPlain, fileOf: (n: number) => fileIn(logsFolder, n) };
}

const fileIn = (logsFolder: string, n: number) => join(logsFolder, idOf(n), 'conversation.json');

describe('a command on a store with a cache', () => {
  it('reads only edited and added conversations', async () => {
    const { logsFolder, open, openPlain } = await cachedPlace();
    put(logsFolder, idOf(1), sample(1, 7));
    put(logsFolder, idOf(CONVERSATIONS), sample(CONVERSATIONS, 5));
    rmSync(join(logsFolder, idOf(2)), { recursive: true });
    const { store, read } = await open();
    const listed = await store.list();
    expect(read.sort()).toEqual([idOf(1), idOf(CONVERSATIONS)].sort());
    expect(listed).toEqual(await (await openPlain()).list());
  });

  it('reads only the conversation that it changes by its key', async () => {
    const { open, openPlain } = await cachedPlace();
    const { store, read } = await open();
    await store.update('key-7', { title: 'Changed' });
    expect(new Set(read)).toEqual(new Set([idOf(7)]));
    expect((await (await openPlain()).load('key-7')).title).toBe('Changed');
  });

  it('reads an edit in place that keeps the length of the file', async () => {
    const { open, fileOf } = await cachedPlace();
    const before = readFileSync(fileOf(3), 'utf8');
    writeFileSync(fileOf(3), before.replace('The letter number3', 'The castle number3'));
    const { store } = await open();
    const titles = (await store.list()).map(({ title }) => title);
    expect(titles).toContain('The castle number3');
  });

  it('knows the times of the last messages, also of edited conversations', async () => {
    const { logsFolder, open, openPlain } = await cachedPlace();
    put(logsFolder, idOf(1), sample(1, 7));
    put(logsFolder, idOf(2), { ...sample(2), messages: [] });
    const { store, read } = await open();
    await store.list();
    const known = [...store.known()].map(({ head, lastMessageAt }) => [head, lastMessageAt]);
    const plain = await openPlain();
    const expected: unknown[] = [];
    for (const head of await plain.list()) {
      const { messages, createdAt } = await plain.load(head.conversationId);
      expected.push([head, messages.at(-1)?.createdAt ?? createdAt]);
    }
    const byId = (pairs: unknown[]) => new Map(pairs.map((pair) => [JSON.stringify(pair), pair]));
    expect(byId(known)).toEqual(byId(expected));
    expect(read.sort()).toEqual([idOf(1), idOf(2)]);
  });

  it('refuses a change by a key that a copied folder has too', async () => {
    const { logsFolder, open } = await cachedPlace();
    put(logsFolder, idOf(CONVERSATIONS), withKey(5));
    const { store } = await open();
    const { code, details } = await errorOf(store.update('key-5', { title: 'x' }));
    expect(code).toBe('CONFLICT');
    expect(details?.['conversationIds']).toEqual([idOf(5), idOf(CONVERSATIONS)]);
    expect(store.duplicateKeys()).toHaveLength(1);
  });

  it('reports conversations that were damaged since, and gives their keys to no others', async () => {
    const { logsFolder, open } = await cachedPlace();
    put(logsFolder, idOf(9), '{');
    const { store } = await open();
    expect(await store.list()).toHaveLength(CONVERSATIONS - 1);
    expect(store.damaged().map(({ conversationId }) => conversationId)).toEqual([idOf(9)]);
    expect((await errorOf(store.load('key-9'))).code).toBe('CONVERSATION_NOT_FOUND');
    expect((await errorOf(store.update(idOf(9), { title: 'x' }))).code).toBe(
      'CONVERSATION_CORRUPTED',
    );
  });

  it.each([
    'before',
    'after',
  ] as const)('is notified of every conversation if it subscribes %s the list', async (when) => {
    const { open } = await cachedPlace();
    const { store } = await open();
    const followed = new Set<string>();
    const follow = () => store.follow(({ conversationId }) => followed.add(conversationId));
    if (when === 'before') follow();
    await store.list();
    if (when === 'after') follow();
    await store.refresh();
    expect(followed.size).toBe(CONVERSATIONS);
  });
});

describe('a server that starts on a store with a cache', () => {
  it('lists at once, and reads only what changed', async () => {
    const { logsFolder, cachePath } = cacheFolder('index.bin', CONVERSATIONS, 3);
    await saveCache(logsFolder, cachePath);
    put(logsFolder, idOf(1), sample(1, 7));
    const { store, search } = await openPlace({ logsFolder, cachePath });
    const read: string[] = [];
    store.followFromNow(({ conversationId }) => read.push(conversationId));
    search.start();
    expect(await store.list()).toHaveLength(CONVERSATIONS);
    await search.built();
    expect(read).toEqual([idOf(1)]);
  });
});

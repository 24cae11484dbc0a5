/** Some messages of a large conversation: read alone, and the same as from the whole file. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { CipherKey } from '../../../src/files/sealing/cipher.js';
import { codecOf, plainCodec } from '../../../src/files/sealing/text-codec.js';
import { readCachedHeads } from '../../../src/search/cache/index-cache.js';
import { KeywordSearch } from '../../../src/search/messages/keyword-search.js';
import { MessageIndex } from '../../../src/search/messages/message-index.js';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../src/stores/conversations/conversations.js';
import { parseConversation } from '../../../src/stores/conversations/document/parse-conversation.js';
import type { CachedHeads } from '../../../src/stores/conversations/store-core.js';
import { saveIndexCache } from '../../support/save-index-cache.js';

const ID = '20250301-1740787200000';
const TIME = new Date(1_740_800_000_000);
const TEXT = 'Der Fluß „Größe“ steigt 😀 \\ " \n'.repeat(85);
const COUNT = 1200;

/** Some have an id or a time, some have not; every hundredth was paid for, every 50th is of the system. */
const MESSAGES = Array.from({ length: COUNT }, (_, at) => ({
  ...(at % 3 > 0 && { id: `id-${at}` }),
  role: at % 50 === 0 ? 'system' : 'user',
  content: `${at} ${TEXT}`,
  ...(at % 4 === 0 && { createdAt: new Date(1_740_787_200_000 + at * 1000).toISOString() }),
  ...(at % 100 === 0 && { metadata: { cost: { currency: 'USD', total: 0.25 } } }),
}));

let logsFolder = '';
beforeEach(() => {
  logsFolder = mkdtempSync(join(tmpdir(), 'daybook-parts-'));
  onTestFinished(() => rmSync(logsFolder, { recursive: true, force: true }));
});

const file = () => join(logsFolder, ID, 'conversation.json');

/** With a time that can be set again, so that a later change need not show in the stamp. */
function write(bytes: string | Buffer): void {
  mkdirSync(join(logsFolder, ID), { recursive: true });
  writeFileSync(file(), bytes);
  utimesSync(file(), TIME, TIME);
}

async function open(
  cachedHeads?: () => Promise<CachedHeads>,
  codec = plainCodec,
): Promise<ConversationStore> {
  const store = await openConversationStore({
    logsFolder,
    maxMessages: COUNT,
    fsync: false,
    cachedHeads,
    codec,
  });
  onTestFinished(() => store.close());
  return store;
}

/** The end of the file is no longer JSON, and its stamp is the same. */
function damageEnd(): void {
  const bytes = readFileSync(file());
  write(bytes.fill('x', bytes.byteLength - 1000));
}

it('a part is the same as in the whole conversation, at any position', async () => {
  write(JSON.stringify({ title: 'Large', messages: MESSAGES }, null, 2));
  const { messages, ...head } = await (await open()).load(ID);
  const store = await open();
  await store.refresh();
  for (const first of [1, 2, 137, 600, 1101, 1200, 1201]) {
    const part = await store.part(ID, { first, count: 100 });
    expect(part.messages, `${first}`).toEqual(messages.slice(first - 1, first + 99));
    expect(part).toMatchObject({ head, first, systemMessages: 24 });
    expect(part.costs).toEqual([{ currency: 'USD', total: 3, answers: 12 }]);
  }
  for (const at of [0, 1, 3, 700, COUNT - 1]) {
    const before = messages[at]?.id ?? '';
    const part = await store.part(ID, { before, count: 50 });
    const from = Math.max(0, at - 50);
    expect([part.first, part.messages], before).toEqual([from + 1, messages.slice(from, at)]);
  }
  const missing = store.part(ID, { before: 'id-none', count: 1 });
  await expect(missing).rejects.toMatchObject({ code: 'MESSAGE_NOT_FOUND' });
  const last = await store.part(ID, { count: 3 });
  expect([last.messages, last.first]).toEqual([messages.slice(-3), COUNT - 2]);
});

it('a part is read alone after the file was read as a whole, in this process or before its start', async () => {
  write(JSON.stringify({ messages: MESSAGES }));
  const store = await open();
  const index = new MessageIndex();
  store.follow((change) => index.apply(change));
  await store.refresh();
  const cache = { path: join(logsFolder, 'cache.bin'), log: silentLog };
  expect(await saveIndexCache({ ...cache, index, store })).toBe(true);
  const warm = await open(() => readCachedHeads(cache));
  await warm.list();
  damageEnd();
  for (const each of [store, warm]) {
    const { messages } = await each.part(ID, { first: 5, count: 2 });
    expect(messages.map(({ content }) => content)).toEqual([`4 ${TEXT}`, `5 ${TEXT}`]);
    const before = await each.part(ID, { before: messages[1]?.id ?? '', count: 1 });
    expect(before).toMatchObject({ first: 5, messages: [{ content: `4 ${TEXT}` }] });
    await expect(each.load(ID)).rejects.toMatchObject({ code: 'CONVERSATION_CORRUPTED' });
  }
});

it('a search reads only the parts with its hits', async () => {
  write(JSON.stringify({ messages: MESSAGES }));
  const store = await open();
  const clock = systemClock;
  const search = new KeywordSearch({ store, cachePath: undefined, clock, log: silentLog });
  search.start('once');
  await search.built();
  damageEnd();
  const asked = { query: '137', matchType: 'auto', filters: {}, limit: 5, offset: 0 } as const;
  const { hits } = await search.search(asked);
  expect(hits.map(({ seq, content }) => [seq, content])).toEqual([[138, `137 ${TEXT}`]]);
  await search.close();
});

it('a part is read alone in an encrypted store too', async () => {
  const codec = codecOf(new CipherKey(Buffer.alloc(32, 7)));
  const location = { path: file(), conversationId: ID };
  const sealed = parseConversation({ messages: MESSAGES }, location, plainCodec, codec);
  write(Buffer.from(sealed.render(sealed.head)));
  const store = await open(undefined, codec);
  await store.refresh();
  damageEnd();
  const { messages } = await store.part(ID, { first: 5, count: 2 });
  expect(messages.map(({ content }) => content)).toEqual([`4 ${TEXT}`, `5 ${TEXT}`]);
});

it('a part is of the present file, also after an edit in place', async () => {
  write(JSON.stringify({ messages: MESSAGES }));
  const store = await open();
  await store.refresh();
  const edited = readFileSync(file(), 'utf8').replace('"0 Der Fluß', '"0 Das Meer');
  writeFileSync(file(), edited);
  const { messages } = await store.part(ID, { first: 1, count: 1 });
  expect(messages[0]?.content).toMatch(/^0 Das Meer/);
  rmSync(file());
  await expect(store.part(ID, { count: 1 })).rejects.toMatchObject({
    code: 'CONVERSATION_NOT_FOUND',
  });
});

it('a part is taken from the whole file if ids depend on other messages', async () => {
  const twice = MESSAGES.map(({ id: _, ...message }) => ({ ...message, content: TEXT }));
  write(JSON.stringify({ messages: twice }));
  const { messages } = await (await open()).load(ID);
  const store = await open();
  await store.refresh();
  expect([...store.known()].map(({ outline }) => outline)).toEqual([undefined]);
  expect((await store.part(ID, { first: 1000, count: 5 })).messages).toEqual(
    messages.slice(999, 1004),
  );
});

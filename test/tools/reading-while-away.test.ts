/** Functions that read files, while the folder of the store is missing. calls-while-away.test.ts calls tools. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { messageHash } from '../../src/stores/conversations/document/message-hash.js';
import { foundMessages } from '../../src/tools/conversations/search-messages.js';
import { errorOf } from '../support/error-of.js';
import { withStore } from '../support/store-that-leaves.js';

const ID = '20250124-1737730800123';

it('a search while the store is away explains why there are matches and no results', async () => {
  await withStore(async ({ app, file, leave }) => {
    const input = {
      ...({ query: 'zebra', mode: 'keyword', limit: 5, snippetTokens: 32 } as const),
      explain: false,
      includeContent: false,
      includeMetadata: false,
      activity: false,
      highlightStart: '<',
      highlightEnd: '>',
      ellipsis: '...',
    };
    const call = { signal: new AbortController().signal, progress: () => undefined };
    const search = (offset: number) =>
      foundMessages({ ...input, offset }, app, call, { maxTokens: 1_000 });
    const path = file(`conversation-logs/${ID}/conversation.json`);
    mkdirSync(dirname(path));
    writeFileSync(path, JSON.stringify({ messages: [{ role: 'user', content: 'a zebra' }] }));
    // With this offset no file is read, so its text does not get into the memory of the store.
    await expect.poll(async () => (await search(5)).total).toBe(1);
    expect(await search(5)).not.toHaveProperty('note');
    leave();
    const found = await search(0);
    expect(found).toMatchObject({ total: 1, results: [] });
    expect(found).toHaveProperty('note', expect.stringContaining('not shown'));
  });
});

const { signal } = new AbortController();
const READING: readonly [string, (app: App) => unknown][] = [
  [
    'a tool call',
    ({ messageSearch }) => messageSearch.search({ ...SEARCHED, activity: true }, { signal }),
  ],
  ['an earlier version', (app) => app.conversations.history.read('plan', 1)],
];
const SEARCHED = { query: 'zebra', mode: 'auto', filters: {}, limit: 5, offset: 0 } as const;

it.each(READING)('%s is not reported as empty while the store is away', async (_what, read) => {
  await withStore(async ({ app, leave, comeBack }) => {
    const [message] = (await app.conversations.load('plan')).messages;
    const hash = messageHash('before');
    await app.conversations.edits.update('plan', message?.id ?? '', 'after', hash);
    const readNow = async () => read(app);
    leave();
    expect((await errorOf(readNow())).code).toBe('STORAGE_UNAVAILABLE');
    await comeBack();
    expect(await readNow()).toBeDefined();
  });
});

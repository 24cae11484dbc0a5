/**
 * The answers of lists, searches and readings have a maximum size, however large the stored items are: 8 000
 * tokens by default, and 25 000 at most.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { estimateTextTokens } from '../../src/base/text/estimate-tokens.js';
import { type Place, type Session, withClient, withPlace } from './harness.js';

const ID = '20250124-1706102400123';
/** The tokens of an answer besides its items. */
const FRAME_TOKENS = 400;
const time = (second: number) => new Date(Date.UTC(2025, 0, 24, 15, 0, second)).toISOString();

/** Writes a conversation with the text of books, also in its title. No tool would accept all of it. */
async function writeMonster({ root }: Place): Promise<void> {
  const contents = [
    'word '.repeat(200_000),
    '会議は明日です。どこでしますか。'.repeat(20_000),
    ...Array.from({ length: 20 }, (_, n) => `word ${n} ${'会議の資料 '.repeat(400)}`),
    `${'資料'.repeat(4_000)}${' word "quoted"\n'.repeat(40_000)}`,
  ];
  const messages = contents.map((content, index) => {
    const metadata = { note: 'n'.repeat(index % 2 === 0 ? 200_000 : 20) };
    return { id: `m${index}`, role: 'user', content, createdAt: time(index), metadata };
  });
  const document = {
    conversationId: ID,
    createdAt: time(0),
    updatedAt: time(messages.length),
    messageCount: messages.length,
    formatVersion: 1,
    title: 'Title '.repeat(100_000),
    module: 'plan',
    tags: Array.from({ length: 20_000 }, (_, n) => `tag${n}`),
    metadata: { note: 'n'.repeat(500_000) },
    messages,
  };
  const folder = join(root, 'conversation-logs', ID);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'conversation.json'), JSON.stringify(document));
  const values = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`key ${n}`, n]));
  const state = { values: { large: 'v'.repeat(300_000), ...values } };
  await writeFile(join(root, 'conversation-logs', 'state.json'), JSON.stringify(state));
}

const READERS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['get_conversations', {}],
  ['get_conversation', { conversationId: ID }],
  ['get_conversation', { conversationId: ID, beforeMessageId: 'm22' }],
  ['get_conversation', { conversationId: ID, beforeMessageId: 'm1' }],
  ['get_conversation', { conversationId: ID, includeMessages: false }],
  ['export_conversations', {}],
  ['history_threads_list', {}],
  ['history_threads_get', { threadId: ID }],
  ['history_threads_get', { threadId: ID, beforeSeq: 2 }],
  ['history_threads_search', { q: 'word', matchesPerThread: 20 }],
  ['history_threads_search', { q: '資料', matchesPerThread: 20 }],
  ['history_messages_recent', {}],
  ['session_start', {}],
  ['get_state', {}],
];

const BOUNDED: readonly (readonly [string, Record<string, unknown>, number])[] = [
  ...READERS.map(([name, args]) => [name, args, 8_000] as const),
  ...READERS.map(([name, args]) => [name, { ...args, maxTokens: 25_000 }, 25_000] as const),
  ['session_start', { maxTokens: 300 }, 300],
  ['search_messages', { query: 'word', limit: 100 }, 8_000],
  [
    'search_messages',
    { query: '資料', limit: 100, snippetTokens: 64, includeContent: true },
    8_000,
  ],
  ['get_conversation_history', { conversationId: ID }, 25_000],
  ['get_conversation_history', { conversationId: ID, cursor: '2:0' }, 25_000],
];

it('each answer has at most its maximum of tokens, however large the stored items are', async () => {
  await withPlace(async (place) => {
    await writeMonster(place);
    await withClient(place, async ({ call }) => {
      const sizes: Record<string, number> = {};
      for (const [name, args, most] of BOUNDED) {
        const tokens = estimateTextTokens(JSON.stringify(await call(name, args)));
        if (tokens > most + FRAME_TOKENS) sizes[`${name} ${JSON.stringify(args)}`] = tokens;
      }
      expect(sizes).toEqual({});
    });
  });
});

it('every message can be read page by page, and the longest one in parts', async () => {
  await withPlace(async (place) => {
    await writeMonster(place);
    await withClient(place, async (session) => {
      expect(await seqsOf(session)).toEqual(Array.from({ length: 23 }, (_, n) => n + 1));
      const last = await session.call('get_conversation', { conversationId: ID, messageLimit: 1 });
      const [{ content, isCut }] = last['messages'] as [{ content: string; isCut: boolean }];
      expect([content.startsWith('資料'), isCut, last['isMetadataCut']]).toEqual([
        true,
        true,
        true,
      ]);
      const rest = await session.call('get_conversation_history', {
        conversationId: ID,
        cursor: `23:${content.length}`,
      });
      expect(rest).toMatchObject({ messages: [{ seq: 23, offset: content.length }] });
    });
  });
});

async function seqsOf({ call }: Session): Promise<number[]> {
  const seqs: number[] = [];
  let before: string | undefined;
  do {
    const page = await call('get_conversation', {
      conversationId: ID,
      ...(before !== undefined && { beforeMessageId: before }),
    });
    seqs.unshift(...(page['messages'] as { seq: number }[]).map(({ seq }) => seq));
    before = page['nextBeforeMessageId'] as string | undefined;
  } while (before !== undefined);
  return seqs;
}

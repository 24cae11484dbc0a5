/**
 * What the tests of the message search share: a search over real files, written as people write them, and the
 * reference: a new index of the same folder, with which every answer must agree.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { type Log, silentLog } from '../../src/base/log.js';
import { MessageSearch } from '../../src/search/message-search.js';
import { ActivitySearch } from '../../src/search/messages/activity-search.js';
import {
  KeywordSearch,
  type MessageQuery,
  type SearchCaller,
} from '../../src/search/messages/keyword-search.js';
import { RecallSearch } from '../../src/search/recall/recall-search.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { tempFolder } from '../support/temp-folder.js';

/** The promised times are one and five seconds. Busy machines may take longer; the time is printed. */
const MAX_WAIT_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
export const FIRST_MS = Date.parse('2025-01-01T00:00:00Z');

export interface SearchPlace {
  readonly logsFolder: string;
  readonly store: Awaited<ReturnType<typeof openConversationStore>>;
  readonly search: KeywordSearch;
  readonly recall: RecallSearch;
  readonly messageSearch: MessageSearch;
  /** Closes the search and then the store, as the app does. */
  close(): Promise<void>;
}

export interface PlaceOptions {
  readonly logsFolder?: string;
  readonly cachePath?: string;
  readonly recallCachePath?: string;
  readonly log?: Log;
}

/** Closed at the latest at the end of the test. */
export async function openPlace(options: PlaceOptions = {}): Promise<SearchPlace> {
  const { logsFolder = join(tempFolder(), 'logs'), log = silentLog } = options;
  const { cachePath, recallCachePath } = options;
  const clock = systemClock;
  const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false, log });
  const search = new KeywordSearch({ store, cachePath, clock, log });
  const timeZone = () => 'UTC';
  const cache = { cachePath: recallCachePath };
  const recall = new RecallSearch({ store, search, clock, log, timeZone, ...cache });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= recall
      .close()
      .then(() => search.close())
      .then(() => store.close());
    return closing;
  };
  onTestFinished(close);
  const messageSearch = new MessageSearch(search, recall, new ActivitySearch(store));
  return { logsFolder, store, search, recall, messageSearch, close };
}

/** The id of the n-th conversation; one for each day. */
export function idOf(n: number): string {
  const ms = FIRST_MS + n * DAY_MS;
  return `${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}-${ms}`;
}

export interface HandWritten {
  readonly title?: string;
  readonly module?: string;
  readonly tags?: readonly string[];
  readonly clientId?: string;
  readonly messages: readonly { role: string; content: string; createdAt?: string }[];
}

/** As an editor saves: a file beside it that is renamed to it. */
export function put(logsFolder: string, id: string, content: HandWritten | string): void {
  const path = join(logsFolder, id, 'conversation.json');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}~`, typeof content === 'string' ? content : JSON.stringify(content));
  renameSync(`${path}~`, path);
}

/** A conversation whose words identify it; every tenth word is in all of them. */
export function sample(n: number, messageCount = 4): HandWritten {
  const topic = ['garden', 'engine', 'river', 'letter', 'winter'][n % 5] ?? '';
  return {
    title: `The ${topic} number${n}`,
    module: n % 2 === 0 ? 'home' : 'work',
    tags: [`tag${n % 3}`],
    messages: Array.from({ length: messageCount }, (_, seq) => ({
      role: seq % 2 === 0 ? 'user' : 'assistant',
      content: `common words about the ${topic} said${seq} in talk${n}, never twice the same`,
      createdAt: new Date(FIRST_MS + n * DAY_MS + seq * 60_000).toISOString(),
    })),
  };
}

export const ask = (
  { search }: Pick<SearchPlace, 'search'>,
  query: string,
  more: Partial<MessageQuery> = {},
  caller: SearchCaller = {},
) =>
  search.search(
    { query, matchType: 'auto', filters: {}, limit: 20, offset: 0, ...more },
    { maxWaitMs: 60_000, ...caller },
  );

/** Every document is in the results of one of these, and every rank depends on all documents. */
const PROBES = [
  'common',
  'role : user OR role : assistant OR role : system',
  'garden OR river',
  '"about the letter"',
  'number1*',
  'module : home',
  'tags : tag1 NOT engine',
  'title : winter',
  'NEAR(common talk1, 9)',
  'edited*',
];

/** All answers to the probes: ids, ranks, totals. */
export async function answersOf(place: Pick<SearchPlace, 'search'>): Promise<string> {
  const answers = [];
  for (const query of PROBES) {
    const { total, hits } = await ask(place, query, { limit: 100_000 });
    const ranks = hits.map(({ conversationId, seq, rank }) => `${conversationId}/${seq} ${rank}`);
    answers.push(`${query}: ${total}\n${ranks.sort().join('\n')}`);
  }
  return answers.join('\n');
}

/** The answers of an index that is built only from the files. */
export async function freshAnswers(logsFolder: string): Promise<string> {
  const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
  const clock = systemClock;
  const search = new KeywordSearch({ store, cachePath: undefined, clock, log: silentLog });
  search.start('once');
  const answers = await answersOf({ search });
  await search.close();
  await store.close();
  return answers;
}

export async function expectAgreement({ logsFolder, search }: SearchPlace): Promise<void> {
  expect(await answersOf({ search })).toBe(await freshAnswers(logsFolder));
}

/**
 * Waits until `isThere` returns true, and then compares everything with a new index. Prints and returns the
 * time since the call, which should come directly after the last change.
 */
export async function agreesSoon(
  what: string,
  place: SearchPlace,
  isThere: () => Promise<boolean>,
): Promise<number> {
  const from = performance.now();
  while (!(await isThere())) {
    if (performance.now() - from > MAX_WAIT_MS) throw new Error(`${what}: never seen`);
    await delay(5);
  }
  const tookMs = performance.now() - from;
  console.log(`  ${what}: ${tookMs.toFixed(0)} ms`);
  await expectAgreement(place);
  return tookMs;
}

/**
 * Stores the figures on disk beside the index cache (docs/FORMAT.md), so that a start does not read every
 * conversation for them. Each chunk has some conversations: the stamps of their files, the columns of their
 * messages, and their most frequent words. The figures of a conversation are used only if its file still
 * has the same stamp.
 */

import { decodeArrays, encodeArrays } from '../base/arrays/array-codec.js';
import { isSameStamp, type Stamp } from '../files/read/stamp.js';
import {
  type CacheFile,
  DAMAGED_PART,
  readCache,
  stampAt,
  stampNumbers,
} from '../search/cache/cache-file.js';
import type { Remaining } from '../search/cache/forget-conversations.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { ROLES } from '../stores/conversations/document/schema.js';
import type { CountedConversation, FrequentWords } from './conversation-figures.js';
import type { MessageFigures } from './message-figures.js';

/** Grows with every change of what is counted, or how. */
const VERSION = 3;
/** Approximate number of messages in a chunk. It is limited because encoding a chunk blocks the event loop. */
const MESSAGES_PER_CHUNK = 50_000;
const CONVERSATIONS_PER_CHUNK = 1_000;

export interface CachedFigures extends Pick<CountedConversation, 'messages' | 'words'> {
  readonly stamp: Stamp;
}

/** By conversation id; empty without a usable cache. Damaged chunks are left out. Never throws. */
export async function loadFiguresCache(file: CacheFile): Promise<Map<string, CachedFigures>> {
  const cached = new Map<string, CachedFigures>();
  await readFiguresCache(file, (id, figures) => cached.set(id, figures));
  return cached;
}

/** Like `loadFiguresCache`, one conversation after the other. */
export async function readFiguresCache(
  file: CacheFile,
  onCached: (conversationId: string, cached: CachedFigures) => void,
): Promise<void> {
  await readCache(file, async (chunks) => {
    for await (const chunk of chunks) {
      const decoded = decodeArrays(chunk);
      const meta = decoded?.meta as ChunkMeta | null | undefined;
      if (decoded === undefined) file.log.warn({ path: file.path }, DAMAGED_PART);
      if (meta?.version !== VERSION) continue;
      // The checksum proves that these are the arrays that `packed` wrote.
      unpack(meta, decoded?.arrays as unknown as Columns, onCached);
    }
  });
}

type CountedOf = (conversationId: string) => CountedConversation | undefined;

/** Conversations whose figures are of the store's version, as they are at the first step. */
export function* figuresChunks(
  countedOf: CountedOf,
  store: Pick<ConversationStore, 'known'>,
): Generator<Uint8Array> {
  yield* chunksOf(capturedFrom(countedOf, store));
}

/** The chunks of the cache without some conversations. `undefined` if nothing of it can be used. */
export const remainingFigures: Remaining = async (file, gone) => {
  const cached = [...(await loadFiguresCache(file))];
  const others = cached.filter(([id]) => !gone.has(id));
  return others.length === 0 ? undefined : chunksOf(others.map(([id, one]) => ({ ...one, id })));
};

function* chunksOf(captured: readonly Packed[]): Generator<Uint8Array> {
  let chunk: Packed[] = [];
  let messages = 0;
  for (const one of captured) {
    chunk.push(one);
    messages += one.messages.length;
    if (messages < MESSAGES_PER_CHUNK && chunk.length < CONVERSATIONS_PER_CHUNK) continue;
    yield packed(chunk);
    chunk = [];
    messages = 0;
  }
  if (chunk.length > 0) yield packed(chunk);
}

/** The objects are immutable, so references to them are a copy. */
function capturedFrom(countedOf: CountedOf, store: Pick<ConversationStore, 'known'>): Packed[] {
  const captured: Packed[] = [];
  for (const { stamp, head } of store.known()) {
    const counted = countedOf(head.conversationId);
    if (counted?.messages.length !== head.messageCount) continue;
    captured.push({ ...counted, id: head.conversationId, stamp });
  }
  return captured;
}

/** Whether the figures are of this version of the file. */
export const isOfVersion = (cached: CachedFigures, stamp: Stamp, messageCount: number): boolean =>
  isSameStamp(cached.stamp, stamp) && cached.messages.length === messageCount;

interface Packed extends CachedFigures {
  readonly id: string;
}

interface ChunkMeta {
  readonly version: number;
  readonly ids: readonly string[];
  readonly counts: readonly number[];
  /** By conversation; `null` if no report has needed its words. */
  readonly words: readonly (StoredWords | null)[];
  readonly models: readonly string[];
  readonly currencies: readonly string[];
}

/** Number of messages at that time, 1 if estimated, then pairs of count and word. */
type StoredWords = readonly [messages: number, isEstimated: 0 | 1, ...(string | number)[]];

/** One value for each message; NaN (for a name: NONE) if it has none. */
interface Columns {
  readonly stamps: BigUint64Array;
  /** Indexes into ROLES. */
  readonly roles: Uint8Array;
  readonly times: Float64Array;
  readonly numbers: Uint32Array;
  readonly billed: Float64Array;
  readonly costs: Float64Array;
  /** Indexes into the names of the chunk: two for each message, its model and its currency. */
  readonly names: Uint32Array;
}

const NONE = 0xffffffff;

function packed(chunk: readonly Packed[]): Uint8Array {
  const all = chunk.flatMap(({ messages }) => messages);
  const models = new Names();
  const currencies = new Names();
  const arrays: Columns = {
    stamps: stampNumbers(chunk.map(({ stamp }) => stamp)),
    roles: Uint8Array.from(all, ({ role }) => ROLES.indexOf(role)),
    times: Float64Array.from(all, ({ time }) => time),
    numbers: Uint32Array.from(all.flatMap(({ words, tokens }) => [words, tokens])),
    billed: Float64Array.from(all, ({ billedTokens = Number.NaN }) => billedTokens),
    costs: Float64Array.from(all, ({ cost }) => cost?.total ?? Number.NaN),
    names: Uint32Array.from(
      all.flatMap(({ model, cost }) => [models.of(model), currencies.of(cost?.currency)]),
    ),
  };
  const meta: ChunkMeta = {
    version: VERSION,
    ids: chunk.map(({ id }) => id),
    counts: chunk.map(({ messages }) => messages.length),
    words: chunk.map(({ words }) => (words === undefined ? null : storedWords(words))),
    models: models.all,
    currencies: currencies.all,
  };
  return encodeArrays(meta, { ...arrays });
}

function unpack(
  meta: ChunkMeta,
  columns: Columns,
  onCached: (conversationId: string, cached: CachedFigures) => void,
): void {
  let from = 0;
  meta.ids.forEach((id, at) => {
    const to = from + (meta.counts[at] ?? 0);
    const messages: MessageFigures[] = [];
    for (let place = from; place < to; place += 1) messages.push(messageAt(place, meta, columns));
    from = to;
    const words = wordsFrom(meta.words[at] ?? null);
    onCached(id, { stamp: stampAt(columns.stamps, at), messages, ...(words && { words }) });
  });
}

function messageAt(
  at: number,
  { models, currencies }: ChunkMeta,
  { roles, times, numbers, billed, costs, names }: Columns,
): MessageFigures {
  const billedTokens = billed[at] ?? Number.NaN;
  const total = costs[at] ?? Number.NaN;
  const model = models[names[2 * at] ?? NONE];
  const currency = currencies[names[2 * at + 1] ?? NONE];
  return {
    time: times[at] ?? Number.NaN,
    role: ROLES[roles[at] ?? 0] ?? 'user',
    words: numbers[2 * at] ?? 0,
    tokens: numbers[2 * at + 1] ?? 0,
    ...(!Number.isNaN(billedTokens) && { billedTokens }),
    ...(model !== undefined && { model }),
    ...(currency !== undefined && { cost: { currency, total } }),
  };
}

const storedWords = ({ messages, isEstimated, words }: FrequentWords): StoredWords => [
  messages,
  isEstimated ? 1 : 0,
  ...words.flatMap(({ word, inConversation }) => [inConversation, word]),
];

function wordsFrom(stored: StoredWords | null): FrequentWords | undefined {
  if (stored === null) return undefined;
  const [messages, isEstimated, ...pairs] = stored;
  const words = Array.from({ length: pairs.length / 2 }, (_, at) => {
    const count = Number(pairs[2 * at]);
    return { word: String(pairs[2 * at + 1]), inSession: count, inConversation: count };
  });
  return { words, messages, isEstimated: isEstimated === 1 };
}

/** Assigns numbers to names, in the order of their first use. */
class Names {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(name: string | undefined): number {
    if (name === undefined) return NONE;
    const known = this.#numbers.get(name) ?? this.all.push(name) - 1;
    this.#numbers.set(name, known);
    return known;
  }
}

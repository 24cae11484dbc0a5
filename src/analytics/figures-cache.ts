/**
 * Stores what was counted on disk beside the index cache (docs/FORMAT.md), so that figures after a start
 * need no conversation to be read. A chunk has some conversations: the stamps of their files, the columns
 * of their messages joined, and their most frequent words. What was counted of a conversation is used only
 * where its file still has that stamp.
 */
import { isSameStamp, type Stamp } from '../files/read/stamp.js';
import { decodeArrays, encodeArrays } from '../fts/segments/array-codec.js';
import { type CacheFile, readCache, stampAt, stampNumbers } from '../search/cache/cache-file.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { ROLES } from '../stores/conversations/document/schema.js';
import type { Counted, FrequentWords } from './counted.js';
import type { MessageFigures } from './message-figures.js';

/** Raised with every change of what is counted, or of how. */
const VERSION = 1;
/** Messages in a chunk, about; the event loop waits while one is encoded. */
const MESSAGES_A_CHUNK = 50_000;
const CONVERSATIONS_A_CHUNK = 1_000;

/** What a cache has of a conversation. */
export interface CachedFigures extends Pick<Counted, 'messages' | 'words'> {
  readonly stamp: Stamp;
}

/** By id; empty where there is no cache that can be used. A damaged chunk costs its conversations. Never throws. */
export async function loadFiguresCache(file: CacheFile): Promise<Map<string, CachedFigures>> {
  const cached = new Map<string, CachedFigures>();
  await readCache(file, async (chunks) => {
    for await (const chunk of chunks) {
      const decoded = decodeArrays(chunk);
      const meta = decoded?.meta as ChunkMeta | null | undefined;
      if (meta?.version !== VERSION) continue;
      // The checksum proves that these are the arrays that `packed` wrote.
      unpack(meta, decoded?.arrays as unknown as Columns, cached);
    }
  });
  return cached;
}

type CountedOf = (conversationId: string) => Counted | undefined;

/**
 * The chunks have the conversations whose figures are of the version that the store has read. They describe
 * what is there at the first step.
 */
export function* figuresChunks(
  countedOf: CountedOf,
  store: Pick<ConversationStore, 'known'>,
): Generator<Uint8Array> {
  const captured = capturedFrom(countedOf, store);
  let chunk: Packed[] = [];
  let messages = 0;
  for (const one of captured) {
    chunk.push(one);
    messages += one.messages.length;
    if (messages < MESSAGES_A_CHUNK && chunk.length < CONVERSATIONS_A_CHUNK) continue;
    yield packed(chunk);
    chunk = [];
    messages = 0;
  }
  if (chunk.length > 0) yield packed(chunk);
}

/** What was counted is never changed, so that references are a copy. */
function capturedFrom(countedOf: CountedOf, store: Pick<ConversationStore, 'known'>): Packed[] {
  const captured: Packed[] = [];
  for (const { stamp, head } of store.known()) {
    const counted = countedOf(head.conversationId);
    if (counted?.messages.length !== head.messageCount) continue;
    captured.push({ ...counted, id: head.conversationId, stamp });
  }
  return captured;
}

/** Whether both are of one version of the file. */
export const isOf = (cached: CachedFigures, stamp: Stamp, messageCount: number): boolean =>
  isSameStamp(cached.stamp, stamp) && cached.messages.length === messageCount;

interface Packed extends CachedFigures {
  readonly id: string;
}

interface ChunkMeta {
  readonly version: number;
  readonly ids: readonly string[];
  readonly counts: readonly number[];
  /** Of each conversation; `null` where no report asked for them. */
  readonly words: readonly (StoredWords | null)[];
  readonly models: readonly string[];
  readonly currencies: readonly string[];
}

/** Messages at that time, 1 if estimated, then each word after its count. */
type StoredWords = readonly [messages: number, isEstimated: 0 | 1, ...(string | number)[]];

/** A value for each message; NaN, and NONE for a name, where it has none. */
interface Columns {
  readonly stamps: BigUint64Array;
  /** Indexes into ROLES. */
  readonly roles: Uint8Array;
  readonly times: Float64Array;
  readonly numbers: Uint32Array;
  readonly billed: Float64Array;
  readonly costs: Float64Array;
  /** Indexes into the names of the chunk: the model, and the currency. */
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

function unpack(meta: ChunkMeta, columns: Columns, cached: Map<string, CachedFigures>): void {
  let from = 0;
  meta.ids.forEach((id, at) => {
    const to = from + (meta.counts[at] ?? 0);
    const messages: MessageFigures[] = [];
    for (let place = from; place < to; place += 1) messages.push(messageAt(place, meta, columns));
    from = to;
    const words = wordsFrom(meta.words[at] ?? null);
    cached.set(id, { stamp: stampAt(columns.stamps, at), messages, ...(words && { words }) });
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

/** Numbers for names, in the order in which they are met. */
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

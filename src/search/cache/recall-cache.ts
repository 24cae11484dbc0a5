/**
 * Stores the recall index on disk beside the index cache (docs/FORMAT.md), so that the first plain question
 * after a start need not read every conversation. Each chunk has some conversations: the stamps of their
 * files and their concatenated arrays. The last chunk has the stems, so a truncated file has no stems and
 * is not used. Stems get new term IDs in the order of their use, so that stems of deleted messages are not
 * written. A conversation is used only if its file still has the same stamp.
 */

import { type AnyArray, decodeArrays, encodeArrays } from '../../base/arrays/array-codec.js';
import { isSameStamp, type Stamp } from '../../files/read/stamp.js';
import type { PackedTerms } from '../../fts/terms/term-table.js';
import {
  type ConversationArrays,
  type ConversationTerms,
  messagesIn,
} from '../../recall/conversation-terms.js';
import type { RecallIndex } from '../../recall/recall-index.js';
import { Vocabulary } from '../../recall/vocabulary.js';
import { StringIds } from '../../recall/words/word-reader.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { type CacheFile, DAMAGED_PART, readCache, stampAt, stampNumbers } from './cache-file.js';

/** Grows with every change of the arrays, words, stems, stop words, passages or cues. */
const VERSION = 9;
/** Approximate number of term IDs in a chunk. It is limited because encoding a chunk blocks the event loop. */
const TERMS_PER_CHUNK = 250_000;

interface CachedConversation {
  readonly stamp: Stamp;
  readonly conversation: ConversationTerms;
}

interface CapturedConversation extends CachedConversation {
  readonly id: string;
}

export interface RecallCache {
  readonly vocabulary: Vocabulary;
  readonly conversations: ReadonlyMap<string, CachedConversation>;
}

/** `undefined` if there is no usable cache. Conversations of a damaged chunk are left out. Never throws. */
export async function loadRecallCache(file: CacheFile): Promise<RecallCache | undefined> {
  const conversations = new Map<string, CachedConversation>();
  const vocabulary = await readRecallCache(file, (id, cached) => conversations.set(id, cached));
  return vocabulary && { vocabulary, conversations };
}

/** Like `loadRecallCache`, one conversation after the other. Returns the vocabulary. */
export async function readRecallCache(
  file: CacheFile,
  onCached: (conversationId: string, cached: CachedConversation) => void,
): Promise<Vocabulary | undefined> {
  let vocabulary: Vocabulary | undefined;
  await readCache(file, async (chunks) => {
    for await (const chunk of chunks) {
      const decoded = decodeArrays(chunk);
      const meta = decoded?.meta as ChunkMeta | null | undefined;
      if (decoded === undefined) file.log.warn({ path: file.path }, DAMAGED_PART);
      if (decoded === undefined || meta?.version !== VERSION) continue;
      // The checksum proves that these are the arrays that were written.
      if (meta.isStems === true)
        vocabulary = new Vocabulary(StringIds.unpacked(decoded.arrays as unknown as PackedTerms));
      else unpack(meta, decoded.arrays, onCached);
    }
  });
  return vocabulary;
}

/** Loads the conversations whose files are unchanged into an empty index. */
export function fillFromRecallCache(
  { vocabulary, conversations }: RecallCache,
  index: RecallIndex,
  store: ConversationStore,
): void {
  const current: [conversationId: string, conversation: ConversationTerms][] = [];
  const stale = new Map(conversations);
  for (const { stamp, head } of store.known()) {
    const cached = conversations.get(head.conversationId);
    if (cached === undefined || !isSameStamp(cached.stamp, stamp)) continue;
    if (messagesIn(cached.conversation) !== head.messageCount) continue;
    current.push([head.conversationId, cached.conversation]);
    stale.delete(head.conversationId);
  }
  const dropped = [...stale.values()].reduce(
    (sum, { conversation }) => sum + messagesIn(conversation),
    0,
  );
  index.load(vocabulary, current, dropped);
}

/** The chunks have the content that the index has at the first step. */
export function* recallChunks(index: RecallIndex, store: ConversationStore): Generator<Uint8Array> {
  yield* recallChunksOf(capturedFrom(index, store), index.vocabulary);
}

export function* recallChunksOf(
  captured: readonly CapturedConversation[],
  vocabulary: Vocabulary,
): Generator<Uint8Array> {
  const renumber = new Renumbering(vocabulary);
  let chunk: CapturedConversation[] = [];
  let terms = 0;
  for (const one of captured) {
    chunk.push(one);
    terms += one.conversation.terms.length;
    if (terms < TERMS_PER_CHUNK) continue;
    yield packed(chunk, renumber);
    chunk = [];
    terms = 0;
  }
  if (chunk.length > 0) yield packed(chunk, renumber);
  const meta: ChunkMeta = { version: VERSION, isStems: true };
  yield encodeArrays(meta, { ...renumber.packed() });
}

/** The objects are immutable, so references to them are a copy. */
function capturedFrom(index: RecallIndex, store: ConversationStore): CapturedConversation[] {
  const captured: CapturedConversation[] = [];
  for (const { stamp, head } of store.known()) {
    const conversation = index.get(head.conversationId);
    if (conversation === undefined || messagesIn(conversation) !== head.messageCount) continue;
    captured.push({ id: head.conversationId, stamp, conversation });
  }
  return captured;
}

/** A chunk has either stems or conversations. */
interface ChunkMeta {
  readonly version: number;
  /** The arrays are those of `PackedTerms`. */
  readonly isStems?: boolean;
  readonly ids?: readonly string[];
  /** Names of the people of each conversation. */
  readonly people?: readonly (readonly string[])[];
}

const ARRAYS = [
  'terms',
  'starts',
  'prefixes',
  'flags',
  'languages',
  'speakers',
  'times',
  'firstPassages',
  'passages',
] as const satisfies readonly (keyof ConversationArrays)[];

function packed(chunk: readonly CapturedConversation[], renumber: Renumbering): Uint8Array {
  const meta: ChunkMeta = {
    version: VERSION,
    ids: chunk.map(({ id }) => id),
    people: chunk.map(({ conversation }) => conversation.people),
  };
  const conversations = chunk.map(({ conversation }) => ({
    ...conversation,
    terms: conversation.terms.map((term) => renumber.numberOf(term)),
  }));
  const joined = ARRAYS.map((name) => [
    name,
    join(conversations.map((conversation) => conversation[name])),
  ]);
  const lengths = conversations.flatMap((conversation) =>
    ARRAYS.map((name) => conversation[name].length),
  );
  return encodeArrays(meta, {
    stamps: stampNumbers(chunk.map(({ stamp }) => stamp)),
    lengths: Uint32Array.from(lengths),
    ...Object.fromEntries(joined),
  });
}

type StreamArray = ConversationArrays[keyof ConversationArrays];

/** Concatenates arrays of the same type. */
function join(parts: readonly StreamArray[]): StreamArray {
  const [first = new Uint8Array(0)] = parts;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const all = new (first.constructor as new (length: number) => StreamArray)(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function unpack(
  { ids = [], people = [] }: ChunkMeta,
  arrays: Readonly<Record<string, AnyArray>>,
  onCached: (conversationId: string, cached: CachedConversation) => void,
): void {
  // The checksum proves that these are the arrays that `packed` wrote.
  const { stamps, lengths, ...joined } = arrays as unknown as ConversationArrays & {
    readonly stamps: BigUint64Array;
    readonly lengths: Uint32Array;
  };
  const at = new Uint32Array(ARRAYS.length);
  ids.forEach((id, position) => {
    const cut = ARRAYS.map((name, number) => {
      const from = at[number] ?? 0;
      const to = from + (lengths[position * ARRAYS.length + number] ?? 0);
      at[number] = to;
      return [name, joined[name].subarray(from, to)];
    });
    const conversation = {
      ...Object.fromEntries(cut),
      people: people[position] ?? [],
    } as ConversationTerms;
    onCached(id, { stamp: stampAt(stamps, position), conversation });
  });
}

/** Assigns new term IDs, in the order of their first use. */
class Renumbering {
  readonly #vocabulary: Vocabulary;
  /** By old term ID: 1 + the new one; 0 if it has none yet. */
  readonly #numbers: Uint32Array;
  readonly #stems = new StringIds();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#numbers = new Uint32Array(vocabulary.size);
  }

  numberOf(term: number): number {
    const known = this.#numbers[term] ?? 0;
    if (known > 0) return known - 1;
    const number = this.#stems.intern(this.#vocabulary.term(term));
    this.#numbers[term] = number + 1;
    return number;
  }

  packed(): PackedTerms {
    return this.#stems.pack().packed;
  }
}

/**
 * Stores the message index on disk, in the user's cache folder, so that a start does not read every file.
 * The cache is one file of chunks with checksums (docs/FORMAT.md): a manifest (which version of which
 * conversation is indexed), then the buffers of index-codec.ts. A chunk that fails its check is not used, a
 * conversation is used only if all of its messages were decoded, and every stamp is then compared with its
 * file (files/catalogue/file-catalogue.ts). The file is written and read chunk by chunk.
 */

import { decodeArrays, encodeArrays } from '../../base/arrays/array-codec.js';
import { isoTime } from '../../base/clock.js';
import type { Stamp } from '../../files/read/stamp.js';
import type { DocumentId } from '../../fts/segments/segment.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import { type ConversationHead, ROLES } from '../../stores/conversations/document/schema.js';
import type { Outline } from '../../stores/conversations/files/message-positions.js';
import type {
  CachedHead,
  CachedHeads,
  CachedParts,
} from '../../stores/conversations/store-core.js';
import {
  type IndexedConversation,
  indexedFields,
  MessageIndex,
} from '../messages/message-index.js';
import { type CacheFile, readCache, stampAt, stampNumbers } from './cache-file.js';

/** Grows with every change of the manifest or of the fields that message-index.ts indexes. */
const VERSION = 9;
const NONE = 0xffffffff;

export interface IndexCacheOptions extends CacheFile {
  readonly index: MessageIndex;
  readonly store: HeadStore;
}

/** What the cache needs of the store. */
interface HeadStore extends Pick<ConversationStore, 'seed'> {
  known(): Iterable<KnownHead>;
}

export interface KnownHead extends Pick<CachedHead, 'stamp' | 'outline'> {
  readonly head: ConversationHead;
}

/** Fills the index and the store's catalogue with the valid parts of the cache. Never throws. */
export async function loadIndexCache(options: IndexCacheOptions): Promise<void> {
  await readCache(options, async (pieces) => {
    const { value } = await pieces.next();
    const manifest = readManifest(value);
    if (manifest !== undefined) await restore(pieces, manifest, options);
  });
}

/** The conversations of the cache, without their messages. Never throws. */
export async function readCachedHeads(file: CacheFile): Promise<CachedHeads> {
  const heads = new Map<string, CachedHead>();
  await readCache(file, async (pieces) => {
    const manifest = readManifest((await pieces.next()).value);
    if (manifest === undefined) return;
    const outlines = new Map(manifest.outlines);
    let to = 0;
    manifest.heads.forEach((summary, at) => {
      to += summary.messageCount;
      const stamp = stampAt(manifest.stamps, at);
      const parts = partsOf(summary, outlines.get(at), manifest.times[to - 1]);
      heads.set(summary.conversationId, { stamp, summary, ...parts });
    });
  });
  return heads;
}

/** A conversation whose messages are all in the cache. */
export interface CompleteConversation {
  readonly stamp: Stamp;
  readonly head: ConversationHead;
  readonly fingerprints: Float64Array;
}

/**
 * Passes the conversations that `loadIndexCache` would load to `onComplete`, without loading them. Returns the
 * number of conversations in the manifest; `undefined` if the cache is damaged or of another version. Never
 * throws.
 */
export async function readIndexCache(
  file: CacheFile,
  onComplete: (conversation: CompleteConversation) => void,
): Promise<number | undefined> {
  let conversations: number | undefined;
  await readCache(file, async (pieces) => {
    const manifest = readManifest((await pieces.next()).value);
    if (manifest === undefined) return;
    conversations = manifest.heads.length;
    const present = new Uint8Array(manifest.documents);
    // This index is only for the check, so the decoder is not closed.
    const decoder = new MessageIndex().text.decoder();
    const { value: terms } = await pieces.next();
    const isReadable = terms !== undefined && decoder.decodeTerms(terms);
    if (isReadable) for await (const piece of pieces) mark(decoder.documentsIn(piece), present);
    for (const one of completeIn(manifest, present)) onComplete(one);
  });
  return conversations;
}

/** Marks the documents of a segment. A segment with a document of another one is not used. */
function mark(documents: ArrayLike<DocumentId> | undefined, present: Uint8Array): void {
  const numbers = Array.from(documents ?? [], Number);
  if (numbers.some((number) => present[number] === 1)) return;
  for (const number of numbers) present[number] = 1;
}

function* completeIn(
  { heads, stamps, fingerprints }: Manifest,
  present: Uint8Array,
): Generator<CompleteConversation> {
  let to = 0;
  for (const [at, head] of heads.entries()) {
    const from = to;
    to += head.messageCount;
    if (present.subarray(from, to).includes(0) || to > present.length) continue;
    yield { stamp: stampAt(stamps, at), head, fingerprints: fingerprints.slice(from, to) };
  }
}

/** The content of the index at the first step. Loading detects later changes by the stamps. */
export function* indexChunks({
  index,
  store,
}: Pick<IndexCacheOptions, 'index' | 'store'>): Generator<Uint8Array> {
  const { manifest, numbers } = manifestOf(index, store);
  const segments = index.text.encode((document) => numbers[Number(document)] ?? document);
  yield manifest;
  for (const encode of segments) yield encode();
}

/** The fields of `IndexedConversation` for all messages, conversation after conversation. */
interface MessageArrays {
  /** Indexes into ROLES. */
  readonly roles: Uint8Array;
  readonly times: Float64Array;
  readonly fingerprints: Float64Array;
  /** For each document, the index of its conversation in the heads, and its seq. */
  readonly owners: Uint32Array;
  readonly seqs: Uint32Array;
}

/** Documents get the order of the manifest; `numbers` maps the current numbers to it. */
function manifestOf(index: MessageIndex, store: HeadStore) {
  const heads: ConversationHead[] = [];
  const stamps: Stamp[] = [];
  const outlines: [head: number, outline: Outline][] = [];
  const roles: number[] = [];
  const times: number[] = [];
  const fingerprints: number[] = [];
  const documents: number[] = [];
  const owners: number[] = [];
  const seqs: number[] = [];
  for (const { stamp, head, outline } of store.known()) {
    const indexed = index.get(head.conversationId);
    if (indexed === undefined || indexed.roles.length !== head.messageCount) continue;
    if (outline !== undefined) outlines.push([heads.length, outline]);
    heads.push(head);
    stamps.push(stamp);
    for (const role of indexed.roles) roles.push(ROLES.indexOf(role));
    for (const time of indexed.times) times.push(time);
    for (const fingerprint of indexed.fingerprints) fingerprints.push(fingerprint);
    for (const [at, document] of indexed.documents.entries()) {
      documents.push(document);
      owners.push(heads.length - 1);
      seqs.push(at + 1);
    }
  }
  const messages: MessageArrays = {
    roles: Uint8Array.from(roles),
    times: Float64Array.from(times),
    fingerprints: Float64Array.from(fingerprints),
    owners: Uint32Array.from(owners),
    seqs: Uint32Array.from(seqs),
  };
  const meta: ManifestMeta = { version: VERSION, documents: index.text.size, heads, outlines };
  const manifest = encodeArrays(meta, { stamps: stampNumbers(stamps), ...messages });
  return { manifest, numbers: numbersOf(documents, index.documentsEnd) };
}

/** The index of each document in `documents`. The other documents are numbered after those. */
function numbersOf(documents: readonly number[], end: number): Uint32Array {
  const numbers = new Uint32Array(end).fill(NONE);
  documents.forEach((document, index) => {
    numbers[document] = index;
  });
  let next = documents.length;
  return numbers.map((number) => (number === NONE ? next++ : number));
}

interface ManifestMeta {
  readonly version: number;
  /** All documents of the index, including those of conversations that are not in the manifest. */
  readonly documents: number;
  readonly heads: readonly ConversationHead[];
  /** Where the messages are in large files: the index of the head, and the outline. */
  readonly outlines: readonly (readonly [head: number, outline: Outline])[];
}

interface Manifest extends MessageArrays, ManifestMeta {
  readonly stamps: BigUint64Array;
}

/** `undefined` if the cache is damaged or of another version. */
function readManifest(piece: Buffer | undefined): Manifest | undefined {
  const decoded = piece && decodeArrays(piece);
  const meta = decoded?.meta as ManifestMeta | null | undefined;
  if (meta?.version !== VERSION) return undefined;
  const isValid = meta.heads.every(
    ({ conversationId, messageCount }) =>
      CONVERSATION_ID.test(conversationId) && Number.isInteger(messageCount),
  );
  // The checksum proves that these are the arrays that manifestOf wrote.
  return isValid ? ({ ...meta, ...decoded?.arrays } as unknown as Manifest) : undefined;
}

/** Decodes the segments, loads the complete conversations, and deletes the documents of all others. */
async function restore(
  pieces: AsyncGenerator<Buffer, undefined>,
  manifest: Manifest,
  options: IndexCacheOptions,
): Promise<void> {
  const { index } = options;
  const decoder = index.text.decoder(manifest.documents);
  const decoded: ArrayLike<DocumentId>[] = [];
  try {
    const { value: terms } = await pieces.next();
    if (!terms || !decoder.decodeTerms(terms)) return; // the segments cannot be used without the terms
    for await (const segment of pieces) decoded.push(decoder.decodeSegment(segment) ?? []);
  } finally {
    // Runs after an error too, because a document without its conversation would never be deleted.
    const loaded = loadComplete(manifest, options);
    const isComplete = index.text.size === manifest.documents;
    if (loaded < index.text.size) deleteOthers(decoded, index);
    decoder.close(isComplete);
  }
}

/** Loads the conversations whose documents were all decoded. Returns the number of their documents. */
function loadComplete(manifest: Manifest, { index, store }: IndexCacheOptions): number {
  const { heads, stamps, times, owners, seqs, outlines } = manifest;
  const isComplete = new Uint8Array(heads.length);
  const starts = new Uint32Array(heads.length + 1);
  let to = 0;
  let loaded = 0;
  let missing = index.text.firstFree(0);
  const outlineOf = new Map(outlines);
  heads.forEach((head, number) => {
    const from = to;
    to += head.messageCount;
    starts[number + 1] = to;
    if (missing < from) missing = index.text.firstFree(from);
    if (missing < to) return;
    const parts = partsOf(head, outlineOf.get(number), times[to - 1]);
    if (!store.seed(stampAt(stamps, number), head, parts)) return;
    isComplete[number] = 1;
    loaded += head.messageCount;
  });
  const ids = heads.map(({ conversationId }) => conversationId);
  const unpack = (number: number) => conversationAt(number, manifest, starts[number] ?? 0);
  index.load({ ids, starts, isComplete, owners, seqs, unpack });
  return loaded;
}

/** `lastMs`: the time of the last message, if there is one. */
function partsOf(
  { messageCount, createdAt }: ConversationHead,
  outline: Outline | undefined,
  lastMs = Number.NaN,
): CachedParts {
  const isKnown = messageCount === 0 || !Number.isNaN(lastMs);
  const lastMessageAt = messageCount === 0 ? createdAt : isKnown ? isoTime(lastMs) : '';
  return { ...(outline && { outline }), ...(isKnown && { lastMessageAt }) };
}

function deleteOthers(decoded: readonly ArrayLike<DocumentId>[], index: MessageIndex): void {
  for (const ids of decoded)
    for (const id of Array.from(ids)) if (index.conversationOf(id) === '') index.text.delete(id);
}

function conversationAt(
  number: number,
  { heads, roles, times, fingerprints }: Manifest,
  from: number,
): IndexedConversation | undefined {
  const head = heads[number];
  if (head === undefined) return undefined;
  const to = from + head.messageCount;
  return {
    number,
    ...indexedFields(head),
    roles: Array.from(roles.subarray(from, to), (role) => ROLES[role] ?? 'user'),
    times: [...times.subarray(from, to)],
    fingerprints: [...fingerprints.subarray(from, to)],
    documents: Array.from({ length: head.messageCount }, (_, at) => from + at),
  };
}

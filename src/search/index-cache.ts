/**
 * The message index on disk, in the user's cache folder, so that a start need not read every file.
 * One file (docs/FORMAT.md): a head with a checksum, a manifest (which version of which conversation
 * is in it), the manifest's numbers, and the packed segments, each with a checksum of its own. It is
 * only a copy: what does not check out is not used, a conversation counts only if all of its messages
 * came out, and every stamp is compared with its file afterwards. Written and read piece by piece.
 */
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Log } from '../base/log.js';
import { removeFile } from '../files/folders.js';
import { tryLease } from '../files/lease.js';
import { openPieces, type PieceReader, sweepPieces, writePieces } from '../files/piece-file.js';
import type { Stamp } from '../files/stamp.js';
import { CONVERSATION_ID, type ConversationHead, ROLES } from '../stores/conversations/schema.js';
import type { ConversationStore } from '../stores/conversations.js';
import { SEGMENT_FORMAT } from './array-codec.js';
import { type IndexedConversation, indexedFields, type MessageIndex } from './message-index.js';
import type { DocumentId } from './segment.js';

const MAGIC = 'DBMI';
/** Raised with every change of this layout or of what `message-index` indexes. */
const VERSION = 5;
/** Magic, version, segment format, bytes of manifest and numbers, count of segments, CRC-32 of all that. */
const HEADER_BYTES = 28;
const CHECKED_BYTES = 24;
const LENGTH_BYTES = 4;
const NUMBERS_A_MESSAGE = 4;
const DOCUMENT = 3;
/** Of a stamp: dev, ino, size, mtimeNs. */
const NUMBERS_A_STAMP = 4;

export interface CachePlace {
  readonly path: string;
  readonly index: MessageIndex;
  readonly store: ConversationStore;
  readonly log: Log;
}

/** Fills index and store with what the cache holds, as far as it can be trusted. Never throws. */
export async function loadIndexCache(place: CachePlace): Promise<void> {
  const { path, log } = place;
  try {
    const reader = await openPieces(path);
    if (reader === undefined) return;
    try {
      const manifest = await readManifest(reader);
      if (manifest !== undefined) await takeOver(reader, manifest, place);
    } finally {
      await reader.close();
    }
  } catch (error) {
    log.warn({ err: error, path }, 'the index cache could not be used; the index is built anew');
  }
}

/**
 * Writes what index and store hold now, and clears what dead writers left. True if it is written:
 * not while another process writes, and not when that failed, which is logged. Never throws.
 */
export async function saveIndexCache({ path, index, store, log }: CachePlace): Promise<boolean> {
  try {
    const lease = await tryLease(path);
    if (lease === undefined) return false;
    try {
      await sweepPieces(dirname(path));
      await writePieces(path, piecesOf(index, store));
      return true;
    } finally {
      await lease.release();
    }
  } catch (error) {
    log.warn({ err: error, path }, 'the index cache could not be written');
    return false;
  }
}

/** For an index that is too small for one: nothing that was deleted may live on in it. As `saveIndexCache`. */
export async function removeIndexCache({ path, log }: CachePlace): Promise<boolean> {
  try {
    await removeFile(path);
    return true;
  } catch (error) {
    log.warn({ err: error, path }, 'the index cache could not be removed');
    return false;
  }
}

/** Manifest and segments are those of the first step; what changes later is found changed when loading. */
function* piecesOf(index: MessageIndex, store: ConversationStore): Generator<Uint8Array> {
  const { body, values } = manifestOf(index, store);
  const segments = index.text.encode();
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  const facts = [VERSION, SEGMENT_FORMAT, body.byteLength, values.byteLength, segments.length];
  for (const [position, fact] of facts.entries()) header.writeUInt32LE(fact, 4 + 4 * position);
  header.writeUInt32LE(checksumOf(header, body, values), CHECKED_BYTES);
  yield header;
  yield body;
  yield values;
  for (const encode of segments) {
    const segment = encode();
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(segment.byteLength);
    yield length;
    yield segment;
  }
}

function checksumOf(header: Buffer, body: Buffer, values: Buffer): number {
  return crc32(values, crc32(body, crc32(header.subarray(0, CHECKED_BYTES))));
}

function manifestOf(index: MessageIndex, store: ConversationStore) {
  const heads: ConversationHead[] = [];
  const stamps: bigint[] = [];
  const numbers: number[] = [];
  for (const { stamp, head } of store.known()) {
    const indexed = index.get(head.conversationId);
    if (indexed === undefined || indexed.roles.length !== head.messageCount) continue;
    heads.push(head);
    stamps.push(stamp.dev, stamp.ino, stamp.size, stamp.mtimeNs);
    for (const [position, role] of indexed.roles.entries()) {
      const { times, fingerprints, documents } = indexed;
      numbers.push(ROLES.indexOf(role), times[position] ?? 0);
      numbers.push(fingerprints[position] ?? 0, documents[position] ?? 0);
    }
  }
  return {
    body: Buffer.from(JSON.stringify(heads)),
    values: Buffer.concat([
      Buffer.from(BigUint64Array.from(stamps).buffer),
      Buffer.from(Float64Array.from(numbers).buffer),
    ]),
  };
}

interface CachedConversation {
  readonly stamp: Stamp;
  readonly head: ConversationHead;
  readonly numbers: Float64Array;
}

interface Manifest {
  readonly conversations: readonly CachedConversation[];
  readonly segmentCount: number;
}

/** `undefined` for a cache of another version, or one that is not whole. */
async function readManifest(reader: PieceReader): Promise<Manifest | undefined> {
  const header = await reader.read(HEADER_BYTES);
  if (header === undefined || header.toString('latin1', 0, 4) !== MAGIC) return undefined;
  if (header.readUInt32LE(4) !== VERSION || header.readUInt32LE(8) !== SEGMENT_FORMAT)
    return undefined;
  const body = await reader.read(header.readUInt32LE(12));
  const values = await reader.read(header.readUInt32LE(16));
  if (body === undefined || values === undefined) return undefined;
  if (checksumOf(header, body, values) !== header.readUInt32LE(CHECKED_BYTES)) return undefined;
  const heads: ConversationHead[] = JSON.parse(body.toString('utf8'));
  const { buffer, byteOffset } = values;
  const stamps = new BigUint64Array(buffer, byteOffset, NUMBERS_A_STAMP * heads.length);
  const numbers = new Float64Array(buffer, byteOffset + stamps.byteLength);
  let at = 0;
  const isOfThisShape = heads.every(
    ({ conversationId, messageCount }) =>
      CONVERSATION_ID.test(conversationId) && Number.isInteger(messageCount),
  );
  if (!isOfThisShape) return undefined;
  const conversations = heads.map((head, place) => {
    const from = at;
    at += NUMBERS_A_MESSAGE * head.messageCount;
    const stamp = stampFrom(stamps, NUMBERS_A_STAMP * place);
    return { stamp, head, numbers: numbers.subarray(from, at) };
  });
  return { conversations, segmentCount: header.readUInt32LE(20) };
}

/** Segments first, then whatever conversation is whole; documents that belong to none go again. */
async function takeOver(
  reader: PieceReader,
  { conversations, segmentCount }: Manifest,
  { index, store }: CachePlace,
): Promise<void> {
  const decoder = index.text.decoder();
  const taken = new TakenDocuments();
  const segments = readAhead(reader, segmentCount);
  try {
    const { value: terms } = await segments.next();
    if (!terms || !decoder.takeTerms(terms)) return; // without them the rest says nothing
    for await (const segment of segments) taken.add(decoder.take(segment) ?? []);
  } finally {
    await segments.return(undefined);
    // Also after a failure: a document without its conversation would never leave the index again.
    for (const { stamp, head, numbers } of conversations) {
      const documents = everyFourth(numbers, DOCUMENT);
      if (!taken.haveAll(documents) || index.has(head.conversationId)) continue;
      if (!store.seed(stamp, head)) continue;
      index.adopt(head.conversationId, documents, () => indexedFrom(head, numbers));
      taken.settle(documents);
    }
    for (const document of taken.unsettled()) index.text.delete(document);
    decoder.close();
  }
}

/** The documents that came out of the cache, by their numbers. */
class TakenDocuments {
  readonly #lists: ArrayLike<DocumentId>[] = [];
  #isTaken = new Uint8Array(1024);
  #unsettled = 0;

  add(ids: ArrayLike<DocumentId>): void {
    this.#lists.push(ids);
    this.#unsettled += ids.length;
    for (let at = 0; at < ids.length; at += 1) this.#mark(Number(ids[at]));
  }

  #mark(document: number): void {
    if (document >= this.#isTaken.length) {
      const larger = new Uint8Array(2 * document);
      larger.set(this.#isTaken);
      this.#isTaken = larger;
    }
    this.#isTaken[document] = 1;
  }

  haveAll(documents: readonly number[]): boolean {
    return documents.every((document) => this.#isTaken[document] === 1);
  }

  settle(documents: readonly number[]): void {
    for (const document of documents) this.#isTaken[document] = 0;
    this.#unsettled -= documents.length;
  }

  *unsettled(): Iterable<DocumentId> {
    if (this.#unsettled === 0) return;
    for (const ids of this.#lists) {
      for (let at = 0; at < ids.length; at += 1)
        if (this.#isTaken[Number(ids[at])] === 1) yield ids[at] ?? 0;
    }
  }
}

function everyFourth(numbers: Float64Array, first: number): number[] {
  const found: number[] = [];
  for (let at = first; at < numbers.length; at += NUMBERS_A_MESSAGE) found.push(numbers[at] ?? 0);
  return found;
}

/** The segments in turn, the next one read while one is worked on. Ends early where the file does. */
async function* readAhead(reader: PieceReader, count: number): AsyncGenerator<Buffer, undefined> {
  if (count === 0) return;
  let next = readSegment(reader);
  for (let left = count; left > 0; left -= 1) {
    const segment = await next;
    if (segment === undefined) return;
    if (left > 1) next = readSegment(reader);
    try {
      yield segment;
    } finally {
      await next.catch(() => undefined); // told when it is asked for; the reader may be closed now
    }
  }
}

async function readSegment(reader: PieceReader): Promise<Buffer | undefined> {
  const length = await reader.read(LENGTH_BYTES);
  return length && reader.read(length.readUInt32LE());
}

function indexedFrom(head: ConversationHead, numbers: Float64Array): IndexedConversation {
  const indexed: IndexedConversation = {
    ...indexedFields(head),
    ...{ roles: [], times: [], fingerprints: [], documents: everyFourth(numbers, DOCUMENT) },
  };
  for (let at = 0; at < numbers.length; at += NUMBERS_A_MESSAGE) {
    indexed.roles.push(ROLES[numbers[at] ?? 0] ?? 'user');
    indexed.times.push(numbers[at + 1] ?? 0);
    indexed.fingerprints.push(numbers[at + 2] ?? 0);
  }
  return indexed;
}

function stampFrom(numbers: BigUint64Array, at: number): Stamp {
  const [dev = 0n, ino = 0n, size = 0n, mtimeNs = 0n] = numbers.subarray(at, at + NUMBERS_A_STAMP);
  return { dev, ino, size, mtimeNs };
}

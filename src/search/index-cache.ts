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
import { type ConversationHead, ROLES } from '../stores/conversations/schema.js';
import type { ConversationStore } from '../stores/conversations.js';
import {
  type IndexedConversation,
  indexedFields,
  type MessageIndex,
  parseDocumentId,
} from './message-index.js';
import type { DocumentId } from './segment.js';
import { SEGMENT_FORMAT } from './segment-codec.js';

const MAGIC = 'DBMI';
/** Raised with every change of this layout or of what `message-index` indexes. */
const VERSION = 3;
/** Magic, version, segment format, bytes of manifest and numbers, count of segments, CRC-32 of all that. */
const HEADER_BYTES = 28;
const CHECKED_BYTES = 24;
const LENGTH_BYTES = 4;
const NUMBERS_A_MESSAGE = 3;

interface ManifestEntry {
  /** dev, ino, size, mtimeNs: too large for JSON numbers. */
  readonly stamp: readonly [string, string, string, string];
  readonly head: ConversationHead;
}

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
  const entries: ManifestEntry[] = [];
  const numbers: number[] = [];
  for (const { stamp, head } of store.known()) {
    const indexed = index.get(head.conversationId);
    if (indexed === undefined || indexed.roles.length !== head.messageCount) continue;
    const { dev, ino, size, mtimeNs } = stamp;
    entries.push({ stamp: [`${dev}`, `${ino}`, `${size}`, `${mtimeNs}`], head });
    for (const [position, role] of indexed.roles.entries()) {
      const { times, fingerprints } = indexed;
      numbers.push(ROLES.indexOf(role), times[position] ?? 0, fingerprints[position] ?? 0);
    }
  }
  return {
    body: Buffer.from(JSON.stringify(entries)),
    values: Buffer.from(Float64Array.from(numbers).buffer),
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
  const entries: ManifestEntry[] = JSON.parse(body.toString('utf8'));
  const { buffer, byteOffset, byteLength } = values;
  const numbers = new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT);
  let at = 0;
  const conversations = entries.map(({ stamp, head }) => {
    const from = at;
    at += NUMBERS_A_MESSAGE * head.messageCount;
    return { stamp: stampFrom(stamp), head, numbers: numbers.subarray(from, at) };
  });
  return { conversations, segmentCount: header.readUInt32LE(20) };
}

/** Segments first, then whatever conversation is whole; documents that belong to none go again. */
async function takeOver(
  reader: PieceReader,
  { conversations, segmentCount }: Manifest,
  { index, store }: CachePlace,
): Promise<void> {
  const taken = new TakenDocuments();
  const decoder = index.text.decoder();
  try {
    for (let count = 0; count < segmentCount; count += 1) {
      const segment = await readSegment(reader);
      if (segment === undefined) return;
      const ids = decoder.take(segment);
      if (ids === undefined && count === 0) return; // without the list of terms the rest says nothing
      if (ids !== undefined) taken.add(ids);
    }
  } finally {
    // Also after a failure: a document without its conversation would never leave the index again.
    for (const { stamp, head, numbers } of conversations) {
      const { conversationId, messageCount } = head;
      if (taken.countOf(conversationId) !== messageCount) continue;
      if (index.has(conversationId) || !store.seed(stamp, head)) continue;
      index.adopt(conversationId, () => indexedFrom(head, numbers));
      taken.settle(conversationId);
    }
    for (const id of taken.unsettled()) index.disown(id);
    decoder.close();
  }
}

/** The documents that came out of the cache, counted by conversation. */
class TakenDocuments {
  readonly #lists: (readonly DocumentId[])[] = [];
  readonly #counts = new Map<string, number>();

  add(ids: readonly DocumentId[]): void {
    this.#lists.push(ids);
    let current = '';
    let count = 0;
    const note = () => this.#counts.set(current, this.countOf(current) + count);
    for (const id of ids) {
      // Messages of one conversation mostly stand together: so few texts are made.
      if (count === 0 || !String(id).startsWith(current)) {
        if (count > 0) note();
        current = parseDocumentId(id).conversationId;
        count = 0;
      }
      count += 1;
    }
    if (count > 0) note();
  }

  countOf(conversationId: string): number {
    return this.#counts.get(conversationId) ?? 0;
  }

  settle(conversationId: string): void {
    this.#counts.delete(conversationId);
  }

  *unsettled(): Iterable<DocumentId> {
    if (this.#counts.size === 0) return;
    for (const id of this.#lists.flat())
      if (this.#counts.has(parseDocumentId(id).conversationId)) yield id;
  }
}

async function readSegment(reader: PieceReader): Promise<Buffer | undefined> {
  const length = await reader.read(LENGTH_BYTES);
  return length && reader.read(length.readUInt32LE());
}

function indexedFrom(head: ConversationHead, numbers: Float64Array): IndexedConversation {
  const indexed: IndexedConversation = {
    ...indexedFields(head),
    ...{ roles: [], times: [], fingerprints: [] },
  };
  for (let at = 0; at < numbers.length; at += NUMBERS_A_MESSAGE) {
    indexed.roles.push(ROLES[numbers[at] ?? 0] ?? 'user');
    indexed.times.push(numbers[at + 1] ?? 0);
    indexed.fingerprints.push(numbers[at + 2] ?? 0);
  }
  return indexed;
}

function stampFrom([dev, ino, size, mtimeNs]: ManifestEntry['stamp']): Stamp {
  return { dev: BigInt(dev), ino: BigInt(ino), size: BigInt(size), mtimeNs: BigInt(mtimeNs) };
}

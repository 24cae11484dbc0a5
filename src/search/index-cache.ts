/**
 * The message index on disk, in the user's cache folder, so that a start need not read every file.
 * One file: magic, lengths and a checksum, a manifest (which version of which conversation is in
 * it), the numbers of the manifest, and the packed segments of the text index. It is only a copy:
 * what does not check out is thrown away, and every conversation's stamp is compared with its file
 * afterwards. Written as a whole, by one process at a time.
 */
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Log } from '../base/log.js';
import { atomicWrite, makeFolder } from '../files/atomic-write.js';
import { readWhole } from '../files/json-doc.js';
import { tryLease } from '../files/lease.js';
import type { Stamp } from '../files/stamp.js';
import type { ConversationHead, Role } from '../stores/conversations/schema.js';
import { ROLES } from '../stores/conversations/schema.js';
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
const VERSION = 1;
const HEADER_BYTES = 20;
const NO_FSYNC = { fsync: false };

interface ManifestEntry {
  /** dev, ino, size, mtimeNs: too large for JSON numbers. */
  readonly stamp: readonly [string, string, string, string];
  readonly head: ConversationHead;
}

interface Manifest {
  readonly segmentFormat: number;
  readonly conversations: readonly ManifestEntry[];
  readonly segmentBytes: readonly number[];
}

/** Fills index and store with what the cache holds; false where there is none to be trusted. */
export async function loadIndexCache(
  path: string,
  index: MessageIndex,
  store: ConversationStore,
  log: Log,
): Promise<boolean> {
  try {
    const found = await readWhole(path);
    if (found === undefined) return false;
    const parts = splitCache(found.bytes);
    if (parts === undefined) return false;
    adopt(parts, index, store);
    return true;
  } catch (error) {
    log.warn({ err: error, path }, 'the index cache could not be used; the index is built anew');
    return false;
  }
}

/** Writes what index and store hold now. Never throws; does nothing while another process writes. */
export async function saveIndexCache(
  path: string,
  index: MessageIndex,
  store: ConversationStore,
  log: Log,
): Promise<void> {
  try {
    await makeFolder(dirname(path));
    const lease = await tryLease(path);
    if (lease === undefined) return;
    try {
      await atomicWrite(path, joinCache(index, store), NO_FSYNC);
    } finally {
      await lease.release();
    }
  } catch (error) {
    log.warn({ err: error, path }, 'the index cache could not be written');
  }
}

function joinCache(index: MessageIndex, store: ConversationStore): Buffer {
  const conversations: ManifestEntry[] = [];
  const numbers: number[] = [];
  for (const { stamp, head } of store.known()) {
    const indexed = index.get(head.conversationId);
    if (indexed === undefined || indexed.roles.length !== head.messageCount) continue;
    const { dev, ino, size, mtimeNs } = stamp;
    conversations.push({ stamp: [`${dev}`, `${ino}`, `${size}`, `${mtimeNs}`], head });
    for (const [position, role] of indexed.roles.entries()) {
      const { times, fingerprints } = indexed;
      numbers.push(ROLES.indexOf(role), times[position] ?? 0, fingerprints[position] ?? 0);
    }
  }
  const segments = index.text.encode();
  const segmentBytes = segments.map(({ byteLength }) => byteLength);
  const manifest: Manifest = { segmentFormat: SEGMENT_FORMAT, conversations, segmentBytes };
  const body = Buffer.from(JSON.stringify(manifest));
  const values = Buffer.from(Float64Array.from(numbers).buffer);
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  header.writeUInt32LE(VERSION, 4);
  header.writeUInt32LE(body.byteLength, 8);
  header.writeUInt32LE(values.byteLength, 12);
  header.writeUInt32LE(crc32(values, crc32(body)), 16);
  return Buffer.concat([header, body, values, ...segments]);
}

interface CacheParts {
  manifest: Manifest;
  numbers: Float64Array;
  segments: Buffer[];
}

/** `undefined` for a cache of another version, or one that is not whole. */
function splitCache(bytes: Buffer): CacheParts | undefined {
  if (bytes.byteLength < HEADER_BYTES || bytes.toString('latin1', 0, 4) !== MAGIC) return undefined;
  if (bytes.readUInt32LE(4) !== VERSION) return undefined;
  const bodyEnd = HEADER_BYTES + bytes.readUInt32LE(8);
  const valuesEnd = bodyEnd + bytes.readUInt32LE(12);
  const body = bytes.subarray(HEADER_BYTES, bodyEnd);
  const values = bytes.subarray(bodyEnd, valuesEnd);
  if (crc32(values, crc32(body)) !== bytes.readUInt32LE(16)) return undefined;
  const manifest: Manifest = JSON.parse(body.toString('utf8'));
  if (manifest.segmentFormat !== SEGMENT_FORMAT) return undefined;
  let at = valuesEnd;
  const segments = manifest.segmentBytes.map((length) => {
    at += length;
    return bytes.subarray(at - length, at);
  });
  if (at !== bytes.byteLength) return undefined;
  // Copied: the numbers need not lie on an 8-byte boundary of the file's buffer.
  return { manifest, numbers: new Float64Array(Uint8Array.from(values).buffer), segments };
}

function adopt(
  { manifest, numbers, segments }: CacheParts,
  index: MessageIndex,
  store: ConversationStore,
): void {
  const documents = new Map<string, DocumentId[]>();
  for (const segment of segments) {
    for (const id of index.text.decode(segment) ?? []) {
      const { conversationId } = parseDocumentId(id);
      const ids = documents.get(conversationId);
      if (ids === undefined) documents.set(conversationId, [id]);
      else ids.push(id);
    }
  }
  let at = 0;
  for (const { stamp, head } of manifest.conversations) {
    const { conversationId, messageCount } = head;
    const indexed = indexedFrom(head, numbers.subarray(at, at + 3 * messageCount));
    at += 3 * messageCount;
    // A segment that was refused leaves gaps: such a conversation is read from its file.
    if ((documents.get(conversationId)?.length ?? 0) !== messageCount) continue;
    index.adopt(conversationId, indexed);
    store.seed(stampFrom(stamp), head);
    documents.delete(conversationId);
  }
  for (const ids of documents.values()) for (const id of ids) index.text.delete(id);
}

function indexedFrom(head: ConversationHead, numbers: Float64Array): IndexedConversation {
  const roles: Role[] = [];
  const times: number[] = [];
  const fingerprints: number[] = [];
  for (let at = 0; at < numbers.length; at += 3) {
    roles.push(ROLES[numbers[at] ?? 0] ?? 'user');
    times.push(numbers[at + 1] ?? 0);
    fingerprints.push(numbers[at + 2] ?? 0);
  }
  return { ...indexedFields(head), roles, times, fingerprints };
}

function stampFrom([dev, ino, size, mtimeNs]: ManifestEntry['stamp']): Stamp {
  return { dev: BigInt(dev), ino: BigInt(ino), size: BigInt(size), mtimeNs: BigInt(mtimeNs) };
}

/**
 * The message index on disk, in the user's cache folder, so that a start need not read every file.
 * One file (docs/FORMAT.md) of pieces, each with a checksum of its own: a
 * manifest (which version of which conversation is in it), then what index-codec.ts makes. It is
 * only a copy: what does not check out is not used, a conversation counts only if all of its messages
 * came out, and every stamp is compared with its file afterwards. Written and read piece by piece.
 */
import { dirname } from 'node:path';
import type { Log } from '../base/log.js';
import { removeFile } from '../files/folders.js';
import { tryLease } from '../files/lease.js';
import { readPieces, sweepPieces, writePieces } from '../files/piece-file.js';
import type { Stamp } from '../files/stamp.js';
import { CONVERSATION_ID, type ConversationHead, ROLES } from '../stores/conversations/schema.js';
import type { ConversationStore } from '../stores/conversations.js';
import { decodeArrays, encodeArrays } from './array-codec.js';
import { type IndexedConversation, indexedFields, type MessageIndex } from './message-index.js';
import type { DocumentId } from './segment.js';

/** Raised with every change of the manifest or of what `message-index` indexes. */
const VERSION = 7;
/** Of a stamp: dev, ino, size, mtimeNs. */
const NUMBERS_A_STAMP = 4;
const NONE = 0xffffffff;

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
    const pieces = readPieces(path);
    try {
      const { value } = await pieces.next();
      const manifest = readManifest(value);
      if (manifest !== undefined) await takeOver(pieces, manifest, place);
    } finally {
      await pieces.return(undefined);
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

/** All of them are those of the first step; what changes later is found changed when loading. */
function* piecesOf(index: MessageIndex, store: ConversationStore): Generator<Uint8Array> {
  const { manifest, numbers } = manifestOf(index, store);
  const segments = index.text.encode((document) => numbers[Number(document)] ?? document);
  yield manifest;
  for (const encode of segments) yield encode();
}

/** Of all messages, one conversation after another: what `IndexedConversation` has of each. */
interface MessageArrays {
  /** Places in ROLES. */
  readonly roles: Uint8Array;
  readonly times: Float64Array;
  readonly fingerprints: Float64Array;
  /** Which conversation, by its place among the heads, and where in it. */
  readonly owners: Uint32Array;
  readonly seqs: Uint32Array;
}

/** In a cache the documents are numbered in the order of the manifest; `numbers`: what each will be. */
function manifestOf(index: MessageIndex, store: ConversationStore) {
  const heads: ConversationHead[] = [];
  const stamps: bigint[] = [];
  const roles: number[] = [];
  const times: number[] = [];
  const fingerprints: number[] = [];
  const documents: number[] = [];
  const owners: number[] = [];
  const seqs: number[] = [];
  for (const { stamp, head } of store.known()) {
    const indexed = index.get(head.conversationId);
    if (indexed === undefined || indexed.roles.length !== head.messageCount) continue;
    heads.push(head);
    stamps.push(stamp.dev, stamp.ino, stamp.size, stamp.mtimeNs);
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
  const facts: Facts = { version: VERSION, documents: index.text.size, heads };
  const manifest = encodeArrays(facts, { stamps: BigUint64Array.from(stamps), ...messages });
  return { manifest, numbers: numbersOf(documents, index.documentsEnd) };
}

/** The place of each in `documents`; those that are not there come after. */
function numbersOf(documents: readonly number[], end: number): Uint32Array {
  const numbers = new Uint32Array(end).fill(NONE);
  documents.forEach((document, place) => {
    numbers[document] = place;
  });
  let next = documents.length;
  return numbers.map((number) => (number === NONE ? next++ : number));
}

interface Facts {
  readonly version: number;
  /** All of the index, also those of no conversation here. */
  readonly documents: number;
  readonly heads: readonly ConversationHead[];
}

interface Manifest extends MessageArrays, Facts {
  readonly stamps: BigUint64Array;
}

/** `undefined` for a cache of another version, or one that is not whole. */
function readManifest(piece: Buffer | undefined): Manifest | undefined {
  const decoded = piece && decodeArrays(piece);
  const facts = decoded?.facts as Facts | null | undefined;
  if (facts?.version !== VERSION) return undefined;
  const isOfThisShape = facts.heads.every(
    ({ conversationId, messageCount }) =>
      CONVERSATION_ID.test(conversationId) && Number.isInteger(messageCount),
  );
  // The checksum vouches for what manifestOf wrote.
  return isOfThisShape ? ({ ...facts, ...decoded?.arrays } as unknown as Manifest) : undefined;
}

/** Segments first, then whatever conversation is whole; documents that belong to none go again. */
async function takeOver(
  pieces: AsyncGenerator<Buffer, undefined>,
  manifest: Manifest,
  place: CachePlace,
): Promise<void> {
  const { index } = place;
  const decoder = index.text.decoder(manifest.documents);
  const taken: ArrayLike<DocumentId>[] = [];
  try {
    const { value: terms } = await pieces.next();
    if (!terms || !decoder.takeTerms(terms)) return; // without them the rest says nothing
    for await (const segment of pieces) taken.push(decoder.take(segment) ?? []);
  } finally {
    // Also after a failure: a document without its conversation would never leave the index again.
    const adopted = adoptWhole(manifest, place);
    const isWhole = index.text.size === manifest.documents;
    if (adopted < index.text.size) dropOthers(taken, index);
    decoder.close(isWhole);
  }
}

/** Takes the conversations of which all documents were taken; how many documents those have. */
function adoptWhole(manifest: Manifest, { index, store }: CachePlace): number {
  const { heads, stamps, owners, seqs } = manifest;
  const isWhole = new Uint8Array(heads.length);
  const starts = new Uint32Array(heads.length + 1);
  let to = 0;
  let adopted = 0;
  let missing = index.text.firstFree(0);
  heads.forEach((head, number) => {
    const from = to;
    to += head.messageCount;
    starts[number + 1] = to;
    if (missing < from) missing = index.text.firstFree(from);
    if (missing < to) return;
    if (!store.seed(stampFrom(stamps, NUMBERS_A_STAMP * number), head)) return;
    isWhole[number] = 1;
    adopted += head.messageCount;
  });
  const ids = heads.map(({ conversationId }) => conversationId);
  const unpack = (number: number) => unpacked(number, manifest, starts[number] ?? 0);
  index.adopt({ ids, starts, isWhole, owners, seqs, unpack });
  return adopted;
}

function dropOthers(taken: readonly ArrayLike<DocumentId>[], index: MessageIndex): void {
  for (const ids of taken)
    for (const id of Array.from(ids)) if (index.conversationOf(id) === '') index.text.delete(id);
}

function unpacked(
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

function stampFrom(numbers: BigUint64Array, at: number): Stamp {
  return {
    dev: numbers[at] ?? 0n,
    ino: numbers[at + 1] ?? 0n,
    size: numbers[at + 2] ?? 0n,
    mtimeNs: numbers[at + 3] ?? 0n,
  };
}

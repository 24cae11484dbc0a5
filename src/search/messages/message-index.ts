/**
 * The messages of all conversations as documents of a text index, which follows the changes of the store. A
 * document is one message; its id is a number that is valid in this process only. Unchanged messages are
 * not indexed again, so appending a message costs one document, however long the conversation is.
 */

import { withCapacity } from '../../base/arrays/typed-array.js';
import { createTextIndex, type DocumentId, type TextIndex } from '../../fts/text-index.js';
import type { MessageRef } from '../../recall/answer.js';
import type {
  ConversationHead,
  Message,
  Role,
} from '../../stores/conversations/document/schema.js';
import type { ConversationChange } from '../../stores/conversations/files/conversation-catalogue.js';

const COLUMNS = ['content', 'title', 'role', 'module', 'tags'];
/** Words search these columns. The others are searched only by a column filter. */
const DEFAULT_COLUMNS = ['content', 'title'];

/** Fields of a conversation that filters and the detection of changes need. */
export interface IndexedConversation {
  /** The number by which documents refer to the conversation. */
  readonly number: number;
  /** A title is indexed with every message; a title that was derived from a message, only with that message. */
  readonly title: string;
  readonly titleFrom: string;
  readonly module: string;
  readonly tags: string;
  readonly roles: Role[];
  /** Epoch milliseconds. */
  readonly times: number[];
  readonly fingerprints: number[];
  /** Ids of its documents in the text index. */
  readonly documents: number[];
}

/** The conversations of a cache. The number of a conversation is its index in `ids`. */
export interface PackedConversations {
  readonly ids: readonly string[];
  /** The messages of conversation n are the documents `starts[n]` up to `starts[n + 1]`. */
  readonly starts: Uint32Array;
  /** 1 for the conversations whose documents are all in the index. */
  readonly isComplete: Uint8Array;
  /** By document: the number of its conversation, and its seq. The index keeps and uses the arrays. */
  readonly owners: Uint32Array;
  readonly seqs: Uint32Array;
  /** Decodes a conversation when it is first needed; most are never needed. */
  unpack(number: number): IndexedConversation | undefined;
}

export class MessageIndex {
  readonly text: TextIndex = createTextIndex({ columns: COLUMNS, defaultColumns: DEFAULT_COLUMNS });
  /** A number stands for a conversation that is not decoded yet. */
  readonly #conversations = new Map<string, IndexedConversation | number>();
  #packed: PackedConversations | undefined;
  /** Conversation ids by number. */
  #ids: string[] = [];
  /** The arrays of PackedConversations. */
  #owners: Uint32Array = new Uint32Array(0);
  #seqs: Uint32Array = new Uint32Array(0);
  #nextDocument = 0;
  #changedDocuments = 0;
  #droppedDocuments = 0;

  /** Documents put or deleted since the index was created, without those of a cache. */
  get changedDocuments(): number {
    return this.#changedDocuments;
  }

  /** Documents that were deleted or replaced. */
  get droppedDocuments(): number {
    return this.#droppedDocuments;
  }

  get(conversationId: string): IndexedConversation | undefined {
    const found = this.#conversations.get(conversationId);
    if (typeof found !== 'number') return found;
    const unpacked = this.#packed?.unpack(found);
    if (unpacked !== undefined) this.#conversations.set(conversationId, unpacked);
    return unpacked;
  }

  *conversations(): Iterable<[conversationId: string, IndexedConversation]> {
    for (const [conversationId, known] of this.#conversations) {
      const indexed = typeof known === 'number' ? this.get(conversationId) : known;
      if (indexed !== undefined) yield [conversationId, indexed];
    }
  }

  has(conversationId: string): boolean {
    return this.#conversations.has(conversationId);
  }

  /** The conversation of a document; empty for a document of a cache whose conversation is missing. */
  conversationOf(id: DocumentId): string {
    return this.#ids[this.#owners[Number(id)] ?? NONE] ?? '';
  }

  messageOf(id: DocumentId): MessageRef {
    return { conversationId: this.conversationOf(id), seq: this.#seqs[Number(id)] ?? 0 };
  }

  /** The document of a message; `undefined` if it is not indexed. */
  documentOf({ conversationId, seq }: MessageRef): number | undefined {
    const found = this.#conversations.get(conversationId);
    if (typeof found !== 'number') return found?.documents[seq - 1];
    const { starts } = this.#packed as PackedConversations;
    const document = (starts[found] ?? 0) + seq - 1;
    return document < (starts[found + 1] ?? 0) ? document : undefined;
  }

  /** All document numbers are lower. */
  get documentsEnd(): number {
    return this.#nextDocument;
  }

  /** Takes over the conversations of a cache whose documents the text index has. The index must be empty. */
  load(packed: PackedConversations): void {
    const { ids, starts, isComplete, owners, seqs } = packed;
    this.#packed = packed;
    this.#ids = [...ids];
    this.#nextDocument = owners.length;
    this.#owners = owners;
    this.#seqs = seqs;
    for (let number = 0; number < ids.length; number += 1) {
      if (isComplete[number] === 1) this.#conversations.set(ids[number] ?? '', number);
      else owners.fill(NONE, starts[number], starts[number + 1]);
    }
  }

  /** Returns the number of a new document. */
  #newDocument(owner: number, seq: number): number {
    const document = this.#nextDocument++;
    this.#owners = withCapacity(this.#owners, Math.max(MIN_CAPACITY, document + 1));
    this.#seqs = withCapacity(this.#seqs, Math.max(MIN_CAPACITY, document + 1));
    this.#owners[document] = owner;
    this.#seqs[document] = seq;
    return document;
  }

  /** Applies a change of the store. The cost depends only on the changed messages. */
  apply(change: ConversationChange): void {
    for (const _ of this.steps(change));
  }

  /**
   * The same, message by message. Only one such generator may run at a time. A search between two steps
   * finds the messages that were already put.
   */
  *steps({
    conversationId,
    document,
    unchangedMessages,
  }: ConversationChange): Generator<undefined, void> {
    if (document === undefined) {
      this.#remove(conversationId);
      return;
    }
    const { messages, ...head } = document.snapshot();
    const known = this.get(conversationId);
    const next = indexedFields(head);
    const isSameHead =
      known !== undefined &&
      known.title === next.title &&
      known.titleFrom === next.titleFrom &&
      known.module === next.module &&
      known.tags === next.tags;
    const number = known?.number ?? this.#ids.push(conversationId) - 1;
    const indexed = isSameHead ? known : { number, ...next, ...noMessages(known?.documents) };
    this.#conversations.set(conversationId, indexed);
    const first = isSameHead ? Math.min(unchangedMessages, indexed.roles.length) : 0;
    for (let position = first; position < messages.length; position += 1) {
      const message = messages[position];
      if (message !== undefined) this.#put(indexed, message, position);
      yield;
    }
    this.#cut(indexed, messages.length);
  }

  #put(indexed: IndexedConversation, message: Message, position: number): void {
    const { titleFrom, module, tags } = indexed;
    // A derived title is indexed only with its message; otherwise its words would match every message.
    const hasTitle = titleFrom === '' || titleFrom === message.id;
    const fingerprint = fingerprintOf(message, hasTitle);
    if (indexed.fingerprints[position] === fingerprint) return;
    const { role, content } = message;
    const time = Date.parse(message.createdAt);
    indexed.fingerprints[position] = fingerprint;
    indexed.roles[position] = role;
    indexed.times[position] = time;
    const title = hasTitle ? indexed.title : '';
    const known = indexed.documents[position];
    const id = known ?? this.#newDocument(indexed.number, position + 1);
    indexed.documents[position] = id;
    if (known !== undefined) this.#droppedDocuments += 1;
    this.text.put(id, { content, title, role, module, tags }, time);
    this.#changedDocuments += 1;
  }

  #cut({ roles, times, fingerprints, documents }: IndexedConversation, length: number): void {
    for (const id of documents.slice(length)) {
      this.text.delete(id);
      this.#changedDocuments += 1;
      this.#droppedDocuments += 1;
    }
    for (const list of [roles, times, fingerprints, documents]) list.length = length;
  }

  #remove(conversationId: string): void {
    const indexed = this.get(conversationId);
    if (indexed === undefined) return;
    this.#cut(indexed, 0);
    this.#conversations.delete(conversationId);
  }
}

const MIN_CAPACITY = 1024;
/** The owner of a document without a conversation. */
const NONE = 0xffffffff;

const noMessages = (documents: readonly number[] = []) => ({
  roles: [],
  times: [],
  fingerprints: [],
  documents: [...documents],
});

/** The fields of a conversation that are indexed with its messages. */
export function indexedFields({
  title = '',
  titleFrom = '',
  module = '',
  tags = [],
}: Pick<ConversationHead, 'title' | 'titleFrom' | 'module' | 'tags'>) {
  return { title, titleFrom, module, tags: tags.join('\n') };
}

/** cyrb53, 53 bits: two messages have the same fingerprint with a probability of about 10^-16. */
export function fingerprintOf({ role, content, createdAt }: Message, hasTitle: boolean): number {
  let high = hasTitle ? 0xdeadbeef : 0x9e3779b9;
  let low = 0x41c6ce57;
  for (const text of [role, createdAt, content]) {
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      high = Math.imul(high ^ unit, 2654435761);
      low = Math.imul(low ^ unit, 1597334677);
    }
    high = Math.imul(high ^ 0x1f, 2654435761);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

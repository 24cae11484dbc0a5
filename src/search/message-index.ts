/**
 * The messages of all conversations as documents of a text index, kept current by following the
 * store. A document is one message, under a number of its own that only this process knows; what did
 * not change is not touched, so an appended message costs one document, however long the conversation is.
 */
import type { ConversationChange } from '../stores/conversations/catalogue.js';
import type { ConversationHead, Message, Role } from '../stores/conversations/schema.js';
import { createTextIndex, type DocumentId, type TextIndex } from './text-index.js';

const COLUMNS = ['content', 'title', 'role', 'module', 'tags'];
/** Bare words search these; the others answer to a column filter that names them. */
const DEFAULT_COLUMNS = ['content', 'title'];

/** What is indexed of one conversation: enough to filter by, and to see what changed. */
export interface IndexedConversation {
  /** What its documents know it by. */
  readonly number: number;
  /** What every message of it is indexed with; a title made from a message, only that message. */
  readonly title: string;
  readonly titleFrom: string;
  readonly module: string;
  readonly tags: string;
  readonly roles: Role[];
  /** Epoch milliseconds. */
  readonly times: number[];
  readonly fingerprints: number[];
  /** Its documents in the text index. */
  readonly documents: number[];
}

/** What a cache holds; a conversation's number is its place in it. */
export interface PackedConversations {
  readonly ids: readonly string[];
  /** The messages of conversation n are the documents `starts[n]` up to `starts[n + 1]`. */
  readonly starts: Uint32Array;
  /** 1 for those that are to be taken. */
  readonly isWhole: Uint8Array;
  /** Of each document the number of its conversation, and the message's seq in it. Taken over. */
  readonly owners: Uint32Array;
  readonly seqs: Uint32Array;
  /** What is taken is unpacked when it is asked for: most of it never is. */
  unpack(number: number): IndexedConversation | undefined;
}

interface MessagePlace {
  readonly conversationId: string;
  readonly seq: number;
}

export class MessageIndex {
  readonly text: TextIndex = createTextIndex({ columns: COLUMNS, defaultColumns: DEFAULT_COLUMNS });
  /** By number: those that are still packed. */
  readonly #conversations = new Map<string, IndexedConversation | number>();
  #packed: PackedConversations | undefined;
  /** By number. */
  #ids: string[] = [];
  /** See PackedConversations. */
  #owners: Uint32Array = new Uint32Array(0);
  #seqs: Uint32Array = new Uint32Array(0);
  #nextDocument = 0;
  #changedDocuments = 0;
  #droppedDocuments = 0;

  /** Documents put or deleted since the index was made, what a cache brought not counted. */
  get changedDocuments(): number {
    return this.#changedDocuments;
  }

  /** Those of them that held something else before. */
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

  /** The conversation that a document belongs to; empty for one that a cache brought without it. */
  conversationOf(id: DocumentId): string {
    return this.#ids[this.#owners[Number(id)] ?? NONE] ?? '';
  }

  placeOf(id: DocumentId): MessagePlace {
    return { conversationId: this.conversationOf(id), seq: this.#seqs[Number(id)] ?? 0 };
  }

  /** Above the numbers of all documents. */
  get documentsEnd(): number {
    return this.#nextDocument;
  }

  /** Takes over conversations of which the text index has all documents; it had none before. */
  adopt(packed: PackedConversations): void {
    const { ids, starts, isWhole, owners, seqs } = packed;
    this.#packed = packed;
    this.#ids = [...ids];
    this.#nextDocument = owners.length;
    this.#owners = owners;
    this.#seqs = seqs;
    for (let number = 0; number < ids.length; number += 1) {
      if (isWhole[number] === 1) this.#conversations.set(ids[number] ?? '', number);
      else owners.fill(NONE, starts[number], starts[number + 1]);
    }
  }

  /** The number of a new document. */
  #own(owner: number, seq: number): number {
    const document = this.#nextDocument++;
    if (document >= this.#owners.length) {
      this.#owners = grown(this.#owners);
      this.#seqs = grown(this.#seqs);
    }
    this.#owners[document] = owner;
    this.#seqs[document] = seq;
    return document;
  }

  /** Brings the index up to a change; costs what changed. */
  apply({ conversationId, document, unchangedMessages }: ConversationChange): void {
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
    const first = isSameHead ? Math.min(unchangedMessages, indexed.roles.length) : 0;
    for (let position = first; position < messages.length; position += 1) {
      const message = messages[position];
      if (message !== undefined) this.#put(indexed, message, position);
    }
    this.#cut(indexed, messages.length);
    this.#conversations.set(conversationId, indexed);
  }

  #put(indexed: IndexedConversation, message: Message, position: number): void {
    const { titleFrom, module, tags } = indexed;
    // Else the words of the first message would find all that follow it.
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
    const id = known ?? this.#own(indexed.number, position + 1);
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

const LEAST_DOCUMENTS = 1024;
/** The owner of a document without a conversation. */
const NONE = 0xffffffff;

function grown(numbers: Uint32Array): Uint32Array {
  const larger = new Uint32Array(Math.max(LEAST_DOCUMENTS, 2 * numbers.length));
  larger.set(numbers);
  return larger;
}

const noMessages = (documents: readonly number[] = []) => ({
  ...{ roles: [], times: [], fingerprints: [] },
  documents: [...documents],
});

/** What the messages of a conversation are indexed with besides their own. */
export function indexedFields({
  title = '',
  titleFrom = '',
  module = '',
  tags = [],
}: Pick<ConversationHead, 'title' | 'titleFrom' | 'module' | 'tags'>) {
  return { title, titleFrom, module, tags: tags.join('\n') };
}

/** 53 bits (cyrb53): a change that keeps them is one in 10^16. */
function fingerprintOf({ role, content, createdAt }: Message, hasTitle: boolean): number {
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

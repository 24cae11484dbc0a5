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

interface MessagePlace {
  readonly conversationId: string;
  readonly seq: number;
}

export class MessageIndex {
  readonly text: TextIndex = createTextIndex({ columns: COLUMNS, defaultColumns: DEFAULT_COLUMNS });
  /** What a cache brought is unpacked when it is asked for: most of it never is. */
  readonly #conversations = new Map<string, IndexedConversation | (() => IndexedConversation)>();
  /** The conversation of each document, and the message's seq in it. */
  readonly #conversationOf: string[] = [];
  readonly #seqOf: number[] = [];
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
    if (typeof found !== 'function') return found;
    const unpacked = found();
    this.#conversations.set(conversationId, unpacked);
    return unpacked;
  }

  *conversations(): Iterable<[conversationId: string, IndexedConversation]> {
    for (const [conversationId, known] of this.#conversations) {
      const indexed = typeof known === 'function' ? this.get(conversationId) : known;
      if (indexed !== undefined) yield [conversationId, indexed];
    }
  }

  has(conversationId: string): boolean {
    return this.#conversations.has(conversationId);
  }

  /** The conversation that a document of the text index belongs to. */
  conversationOf(id: DocumentId): string {
    return this.#conversationOf[Number(id)] ?? '';
  }

  placeOf(id: DocumentId): MessagePlace {
    return { conversationId: this.conversationOf(id), seq: this.#seqOf[Number(id)] ?? 0 };
  }

  /** Takes over documents that are in the text index already, in the order of the messages. */
  adopt(
    conversationId: string,
    documents: Iterable<number>,
    unpack: () => IndexedConversation,
  ): void {
    this.#conversations.set(conversationId, unpack);
    let seq = 0;
    for (const document of documents) this.#own(document, conversationId, ++seq);
  }

  #own(document: number, conversationId: string, seq: number): void {
    // No holes: they would make the arrays slow.
    while (this.#seqOf.length < document) {
      this.#conversationOf.push('');
      this.#seqOf.push(0);
    }
    this.#conversationOf[document] = conversationId;
    this.#seqOf[document] = seq;
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
    const indexed = isSameHead ? known : { ...next, ...noMessages(known?.documents) };
    const first = isSameHead ? Math.min(unchangedMessages, indexed.roles.length) : 0;
    for (let position = first; position < messages.length; position += 1) {
      const message = messages[position];
      if (message !== undefined) this.#put(conversationId, indexed, message, position);
    }
    this.#cut(indexed, messages.length);
    this.#conversations.set(conversationId, indexed);
  }

  #put(
    conversationId: string,
    indexed: IndexedConversation,
    message: Message,
    position: number,
  ): void {
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
    const id = known ?? this.#seqOf.length;
    if (known === undefined) {
      indexed.documents[position] = id;
      this.#own(id, conversationId, position + 1);
    } else this.#droppedDocuments += 1;
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

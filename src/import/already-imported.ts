/**
 * What was imported into the store before, looked up once for a whole import: the conversation of each
 * source id, and those that were deleted here and stay so.
 */
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { keyOf, markIn, type SourceMark } from './source-mark.js';

export interface KnownConversation {
  readonly conversationId: string;
  readonly mark: SourceMark;
}

export class Known {
  readonly #byKey = new Map<string, KnownConversation>();
  readonly #byFirst = new Map<string, KnownConversation>();
  readonly #deleted = new Set<string>();
  readonly #clientIds = new Set<string>();
  readonly #ids = new Set<string>();

  static async of(store: ConversationStore): Promise<Known> {
    const known = new Known();
    for (const { conversationId, metadata, clientId } of await store.list()) {
      known.#ids.add(conversationId);
      const mark = markIn(metadata);
      // Of two, which a copied folder makes, the older counts: the list has the newest first.
      if (mark !== undefined) known.add({ conversationId, mark });
      if (clientId !== undefined) known.#clientIds.add(clientId);
    }
    for (const { conversationId, metadata } of await store.trashed()) {
      const mark = markIn(metadata);
      if (mark !== undefined) known.#deleted.add(keyOf(mark));
      if (!known.#ids.has(conversationId)) {
        known.#deleted.add(keyOf({ kind: 'daybook', id: conversationId }));
      }
    }
    return known;
  }

  /** Whether this is the id of a conversation of the store. */
  hasId(conversationId: string): boolean {
    return this.#ids.has(conversationId);
  }

  get(key: string): KnownConversation | undefined {
    return this.#byKey.get(key);
  }

  /** The conversation of a kind that begins with this message, whatever the source calls it now. */
  ofFirst({ kind, first }: SourceMark): KnownConversation | undefined {
    return first === undefined ? undefined : this.#byFirst.get(`${kind}\n${first}`);
  }

  add(conversation: KnownConversation): void {
    const { kind, first } = conversation.mark;
    if (first !== undefined) this.#byFirst.set(`${kind}\n${first}`, conversation);
    const key = keyOf(conversation.mark);
    const other = this.#byKey.get(key);
    if (other === undefined || other.conversationId >= conversation.conversationId) {
      this.#byKey.set(key, conversation);
    }
  }

  /** Deleted here, and not brought back. */
  isDeleted(key: string): boolean {
    return this.#deleted.has(key) && !this.#byKey.has(key);
  }

  isKeyTaken(clientId: string): boolean {
    return this.#clientIds.has(clientId);
  }

  takeKey(clientId: string): void {
    this.#clientIds.add(clientId);
  }
}

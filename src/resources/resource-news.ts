/**
 * Who is to be told what of the resources: updates of those a client subscribed to, and that the list
 * changed once the client has seen one. Gathers what happens within a moment into one message each.
 */
import type { ConversationChange } from '../stores/conversations/catalogue.js';
import type { ConversationHead } from '../stores/conversations/schema.js';
import { listingKey } from './conversation-resources.js';

/** One exchange writes twice; an import writes thousands of times. */
const GATHER_MS = 200;

export interface NewsReceiver {
  updated(uri: string): void;
  listChanged(): void;
}

export class ResourceNews {
  readonly #receiver: NewsReceiver;
  /** Addresses subscribed to, by the conversation's id. */
  readonly #subscribed = new Map<string, Set<string>>();
  /** How each conversation was listed; `undefined` as long as nobody asked for a list. */
  #listed: Map<string, string> | undefined;
  readonly #updated = new Set<string>();
  #isListChanged = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(receiver: NewsReceiver) {
    this.#receiver = receiver;
  }

  subscribe(uri: string, conversationId: string): void {
    const uris = this.#subscribed.get(conversationId);
    if (uris === undefined) this.#subscribed.set(conversationId, new Set([uri]));
    else uris.add(uri);
  }

  unsubscribe(uri: string): void {
    this.#updated.delete(uri);
    for (const [conversationId, uris] of this.#subscribed) {
      if (uris.delete(uri) && uris.size === 0) this.#subscribed.delete(conversationId);
    }
  }

  /** To be called with all that is known when a list is asked for; only the first time counts. */
  listAsked(heads: Iterable<ConversationHead>): void {
    if (this.#listed !== undefined) return;
    this.#listed = new Map();
    for (const head of heads) this.#listed.set(head.conversationId, listingKey(head));
  }

  /** To be told of every change of the store. */
  apply({ conversationId, document }: ConversationChange): void {
    for (const uri of this.#subscribed.get(conversationId) ?? []) this.#updated.add(uri);
    this.#noteListing(conversationId, document && listingKey(document.head));
    if (this.#updated.size === 0 && !this.#isListChanged) return;
    this.#timer ??= setTimeout(() => this.#send(), GATHER_MS).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#subscribed.clear();
    this.#listed = undefined;
  }

  #noteListing(conversationId: string, key: string | undefined): void {
    if (this.#listed === undefined || this.#listed.get(conversationId) === key) return;
    if (key === undefined) this.#listed.delete(conversationId);
    else this.#listed.set(conversationId, key);
    this.#isListChanged = true;
  }

  #send(): void {
    this.#timer = undefined;
    const uris = [...this.#updated];
    const isListChanged = this.#isListChanged;
    this.#updated.clear();
    this.#isListChanged = false;
    if (isListChanged) this.#receiver.listChanged();
    for (const uri of uris) this.#receiver.updated(uri);
  }
}

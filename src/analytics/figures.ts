/**
 * The figures of all conversations, kept current by following the store: the first question reads
 * every conversation once, later ones only what changed. Until the first question, nothing is in memory.
 */
import { TimeSlice } from '../base/time-slice.js';
import { frequentWords, type WordCount } from '../context/distinctive-words.js';
import type { ConversationStore, ConversationView } from '../stores/conversations/conversations.js';
import type { ConversationHead, Message } from '../stores/conversations/document/schema.js';
import type { ConversationChange } from '../stores/conversations/files/catalogue.js';
import { figuresOf, type MessageFigures } from './message-figures.js';

export interface ConversationFigures {
  readonly head: ConversationHead;
  /** In the order of the file. */
  readonly messages: readonly MessageFigures[];
}

export class Figures {
  readonly #store: ConversationStore;
  readonly #figures = new Map<string, ConversationFigures>();
  /** The most frequent words of the conversations whose topics were requested. */
  readonly #words = new WeakMap<ConversationFigures, readonly WordCount[]>();
  #building: Promise<void> | undefined;
  #isFollowing = false;

  constructor(store: ConversationStore) {
    this.#store = store;
  }

  /** All readable conversations as they are now. CANCELLED by the signal's reason, FILESYSTEM_ERROR. */
  async all(signal?: AbortSignal): Promise<Iterable<ConversationFigures>> {
    this.#building ??= this.#build().catch((error: unknown) => {
      this.#building = undefined;
      throw error;
    });
    await this.#building;
    await this.#store.list(); // finds what changed and notifies the followers
    signal?.throwIfAborted();
    return this.#figures.values();
  }

  /** The words that most messages of a conversation have, of at most 40. Reads it at the first time. */
  async wordsOf(figures: ConversationFigures): Promise<readonly WordCount[]> {
    const known = this.#words.get(figures);
    if (known !== undefined) return known;
    const messages = messagesOf(await this.#store.view(figures.head.conversationId));
    const words = await frequentWords(messages, messages, new TimeSlice());
    this.#words.set(figures, words);
    return words;
  }

  async #build(): Promise<void> {
    if (!this.#isFollowing) this.#store.followFromNow((change) => this.#apply(change));
    this.#isFollowing = true;
    const slice = new TimeSlice();
    for (const { conversationId } of await this.#store.list()) {
      if (this.#figures.has(conversationId)) continue;
      const view = await this.#store.view(conversationId).catch(() => undefined); // gone or damaged
      if (view === undefined) continue;
      const { head } = view;
      const messages: MessageFigures[] = [];
      // A conversation may have a hundred thousand messages.
      for (const message of messagesOf(view)) {
        messages.push(figuresOf(message));
        if (slice.isSpent()) await slice.yield();
      }
      // What changed or went meanwhile was applied already.
      const isGone = this.#store.knownHead(conversationId) === undefined;
      if (!isGone && !this.#figures.has(conversationId)) {
        this.#figures.set(conversationId, { head, messages });
      }
      if (slice.isSpent()) await slice.yield();
    }
  }

  #apply({ conversationId, document, unchangedMessages }: ConversationChange): void {
    if (document === undefined) this.#figures.delete(conversationId);
    else this.#put(document, unchangedMessages);
  }

  #put(view: ConversationView, unchanged: number): void {
    const { head } = view;
    const known = this.#figures.get(head.conversationId)?.messages.slice(0, unchanged) ?? [];
    const added = messagesOf(view, known.length).map(figuresOf);
    this.#figures.set(head.conversationId, { head, messages: [...known, ...added] });
  }
}

function messagesOf(view: ConversationView, after = 0): Message[] {
  const messages: Message[] = [];
  for (let seq = after + 1; seq <= view.head.messageCount; seq += 1) {
    const found = view.message(seq);
    if (found !== undefined) messages.push(found);
  }
  return messages;
}

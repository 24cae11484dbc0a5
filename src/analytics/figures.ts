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

/** Characters of one conversation whose words are counted; more would take seconds. */
const MOST_READ_FOR_WORDS = 4_000_000;

export class Figures {
  readonly #store: ConversationStore;
  readonly #figures = new Map<string, ConversationFigures>();
  /** The most frequent words of the conversations whose topics were requested. */
  readonly #words = new WeakMap<ConversationFigures, readonly WordCount[]>();
  /** False: it ended early, because no caller waited any more. */
  #building: Promise<boolean> | undefined;
  readonly #callers = new Set<{ readonly signal: AbortSignal | undefined }>();
  #isFollowing = false;

  constructor(store: ConversationStore) {
    this.#store = store;
  }

  /** All readable conversations as they are now. CANCELLED by the signal's reason, FILESYSTEM_ERROR. */
  async all(signal?: AbortSignal): Promise<Iterable<ConversationFigures>> {
    const caller = { signal };
    this.#callers.add(caller);
    try {
      while (!(await this.#built())) signal?.throwIfAborted();
    } finally {
      this.#callers.delete(caller);
    }
    await this.#store.list(); // finds what changed and notifies the followers
    signal?.throwIfAborted();
    return this.#figures.values();
  }

  /**
   * The words that most messages of a conversation have, of at most 40. Reads it at the first time. In a
   * conversation of more than 4 million characters the counts are estimated from a part of its messages.
   */
  async wordsOf(figures: ConversationFigures): Promise<readonly WordCount[]> {
    const known = this.#words.get(figures);
    if (known !== undefined) return known;
    const messages = messagesOf(await this.#store.view(figures.head.conversationId));
    const some = evenly(messages, MOST_READ_FOR_WORDS);
    const share = some.length / messages.length;
    const estimated = (count: number) => Math.round(count / share);
    const words = (await frequentWords(some, some, new TimeSlice())).map((each) => ({
      word: each.word,
      inSession: estimated(each.inSession),
      inConversation: estimated(each.inConversation),
    }));
    this.#words.set(figures, words);
    return words;
  }

  /** Callers that come while it is under way share it. */
  #built(): Promise<boolean> {
    const again = () => {
      this.#building = undefined;
    };
    this.#building ??= this.#build().then(
      (isComplete) => {
        if (!isComplete) again();
        return isComplete;
      },
      (error: unknown) => {
        again();
        throw error;
      },
    );
    return this.#building;
  }

  /** Whether every caller has been cancelled. */
  #isAbandoned(): boolean {
    return [...this.#callers].every(({ signal }) => signal?.aborted === true);
  }

  async #build(): Promise<boolean> {
    if (!this.#isFollowing) this.#store.followFromNow((change) => this.#apply(change));
    this.#isFollowing = true;
    const slice = new TimeSlice();
    for (const { conversationId } of await this.#store.list()) {
      if (this.#isAbandoned()) return false;
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
    return true;
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

/** Every message, or every second, third, …, so that they have about `characters` at most together. */
function evenly(messages: readonly Message[], characters: number): readonly Message[] {
  const all = messages.reduce((sum, { content }) => sum + content.length, 0);
  const step = Math.ceil(all / characters);
  return step <= 1 ? messages : messages.filter((_, index) => index % step === 0);
}

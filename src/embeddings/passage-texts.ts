/** The texts of passages, and their keys, from the stored conversations. */
import { isAppError } from '../base/errors.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { type MissingPassage, type PassageSplitter, passageKey } from './passage-rows.js';

export class PassageTexts {
  readonly #conversations: ConversationStore;
  readonly #split: PassageSplitter;
  /** Kept, because a long message has many passages, which are embedded one after another. */
  #last: { content: string; passages: ReturnType<PassageSplitter> } = { content: '', passages: [] };

  constructor(conversations: ConversationStore, split: PassageSplitter) {
    this.#conversations = conversations;
    this.#split = split;
  }

  /** The keys of the passages of a message. */
  keysOf(content: string): string[] {
    return this.#split(content).map(({ start, end }) => passageKey(content.slice(start, end)));
  }

  /** By message; empty if the conversation is deleted or damaged. STORAGE_UNAVAILABLE. */
  async contentsOf(conversationId: string): Promise<string[]> {
    const found = await undefinedIfGone(this.#conversations.load(conversationId));
    return found?.messages.map(({ content }) => content) ?? [];
  }

  /** `undefined` if the passage has gone or has another text now. STORAGE_UNAVAILABLE. */
  async textOf(missing: MissingPassage): Promise<string | undefined> {
    const text = await this.#textAt(missing);
    return passageKey(text) === missing.key ? text : undefined;
  }

  async #textAt({ conversationId, seq, passage }: MissingPassage): Promise<string> {
    const view = await undefinedIfGone(this.#conversations.view(conversationId));
    const content = view?.message(seq)?.content ?? '';
    if (content !== this.#last.content) this.#last = { content, passages: this.#split(content) };
    const { start, end } = this.#last.passages[passage] ?? { start: 0, end: 0 };
    return content.slice(start, end);
  }
}

/** While the store is away, the conversation may still exist, so STORAGE_UNAVAILABLE is thrown. */
async function undefinedIfGone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!isAppError(error) || error.code === 'STORAGE_UNAVAILABLE') throw error;
    return undefined;
  }
}

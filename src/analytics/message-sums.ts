/** Sums over messages: those of a day, a module, a model, or all. */

import type { Cost } from '../stores/conversations/document/message-cost.js';
import type { MessageFigures } from './message-figures.js';

export interface Sums {
  readonly conversations: number;
  readonly messages: number;
  readonly words: number;
  readonly tokens: number;
  readonly billedTokens: number;
  /** One entry for each currency; empty if no message has a cost. */
  readonly costs: Cost[];
}

export class Tally {
  #conversations = 0;
  #messages = 0;
  #words = 0;
  #tokens = 0;
  #billedTokens = 0;
  readonly #costs = new Map<string, number>();
  #lastConversation: object | undefined;

  get messages(): number {
    return this.#messages;
  }

  /**
   * The messages of one conversation must be added one after another, because a message of another
   * conversation than the last one counts as a new conversation.
   */
  add(conversation: object, { words, tokens, billedTokens = 0, cost }: MessageFigures): void {
    if (this.#lastConversation !== conversation) this.#conversations += 1;
    this.#lastConversation = conversation;
    this.#messages += 1;
    this.#words += words;
    this.#tokens += tokens;
    this.#billedTokens += billedTokens;
    if (cost === undefined) return;
    this.#costs.set(cost.currency, (this.#costs.get(cost.currency) ?? 0) + cost.total);
  }

  sums(): Sums {
    return {
      conversations: this.#conversations,
      messages: this.#messages,
      words: this.#words,
      tokens: this.#tokens,
      billedTokens: this.#billedTokens,
      costs: [...this.#costs].map(([currency, total]) => ({ currency, total: rounded(total) })),
    };
  }
}

/** Rounds to millionths, because sums of decimal fractions are not exact. */
const rounded = (amount: number): number => Math.round(amount * 1e6) / 1e6;

/** Tallies by name. The first message of a name creates its tally. */
export class Tallies {
  readonly #tallies = new Map<string, Tally>();

  of(name: string): Tally {
    const tally = this.#tallies.get(name) ?? new Tally();
    this.#tallies.set(name, tally);
    return tally;
  }

  /** In the order of their names. */
  byName(): [name: string, sums: Sums][] {
    return [...this.#tallies]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, tally]) => [name, tally.sums()]);
  }

  /** Most messages first. */
  bySize(): [name: string, sums: Sums][] {
    return this.byName().sort(([, a], [, b]) => b.messages - a.messages);
  }
}

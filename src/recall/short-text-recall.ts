/**
 * Recall for short texts that stand alone (sections of notes, insights, facts). Words, stems and scores are
 * the same as for messages, but neighbouring texts are no evidence.
 */
import { TimeSlice } from '../base/async/time-slice.js';
import { namedIn } from './question/question.js';
import { CONTENT_ONLY_WEIGHTS } from './ranking/feature-weights.js';
import { RecallIndex } from './recall-index.js';
import { cutRecallSnippet, type SnippetStyle } from './recall-snippet.js';

export interface RecalledTexts {
  readonly total: number;
  /** Of the texts, best first. */
  readonly ids: readonly string[];
  /** Whether the question contains all words of `name`: see `namedIn`. */
  names(name: string): boolean;
  /** The part of a text that has the most words of the question, with these words marked. */
  snippet(text: string, style: SnippetStyle): string;
}

interface AskTexts {
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export class ShortTextRecall {
  readonly #index = new RecallIndex();
  readonly #texts = new Map<string, string>();
  #earlier: Promise<unknown> = Promise.resolve();

  /**
   * The texts that have some of the words, best first. `texts` are all texts; those that the last call had too
   * are not indexed again. Calls wait for each other, so that an answer has no texts of another call. Yields to
   * other tasks every few milliseconds. Rejects with the reason of the signal.
   */
  ask(
    question: string,
    texts: Iterable<readonly [id: string, text: string]>,
    options: AskTexts,
  ): Promise<RecalledTexts> {
    const asked = this.#earlier.then(() => this.#ask(question, texts, options));
    this.#earlier = asked.catch(() => undefined); // its own caller gets the error
    return asked;
  }

  async #ask(
    question: string,
    texts: Iterable<readonly [id: string, text: string]>,
    { limit, signal }: AskTexts,
  ): Promise<RecalledTexts> {
    const slice = new TimeSlice({ signal });
    for (const _ of this.#replaceAll(texts)) if (slice.isSpent()) await slice.yield();
    const weights = STANDALONE_WEIGHTS;
    const answer = await this.#index.ask(question, {
      weights,
      requiresContentMatch: true,
      depth: limit,
      ...(signal && { signal }),
    });
    const ids = answer.hits(0, limit).map(({ conversationId }) => conversationId);
    const snippet = (text: string, style: SnippetStyle) => {
      const whole = { start: 0, end: text.length };
      return cutRecallSnippet(text, whole, answer.question, this.#index.vocabulary, style);
    };
    return { total: answer.total, ids, names: namedIn(question), snippet };
  }

  *#replaceAll(texts: Iterable<readonly [id: string, text: string]>): Generator<undefined, void> {
    const gone = new Set(this.#texts.keys());
    for (const [id, content] of texts) {
      gone.delete(id);
      if (this.#texts.get(id) !== content) {
        const source = { role: 'user', content, time: Number.NaN, speaker: undefined } as const;
        yield* this.#index.putInSteps(id, [source]);
        this.#texts.set(id, content);
      }
      yield;
    }
    for (const id of gone) {
      this.#index.delete(id);
      this.#texts.delete(id);
      yield;
    }
  }
}

const STANDALONE_WEIGHTS = { ...CONTENT_ONLY_WEIGHTS, session: 0 };

/**
 * Recall for short texts that stand alone (sections of notes, insights, facts). Words, stems and scores are
 * the same as for messages, but neighbouring texts are no evidence.
 */
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

export class ShortTextRecall {
  readonly #index = new RecallIndex();
  readonly #texts = new Map<string, string>();

  /** Replaces all texts by `texts`. Unchanged texts are not indexed again. */
  sync(texts: ReadonlyMap<string, string>): void {
    for (const id of this.#texts.keys()) {
      if (texts.has(id)) continue;
      this.#texts.delete(id);
      this.#index.delete(id);
    }
    for (const [id, content] of texts) {
      if (this.#texts.get(id) === content) continue;
      this.#texts.set(id, content);
      this.#index.put(id, [{ role: 'user', content, time: Number.NaN, speaker: undefined }]);
    }
  }

  /** The texts that have some of the words, best first. */
  async ask(
    question: string,
    { limit, signal }: { readonly limit: number; readonly signal?: AbortSignal },
  ): Promise<RecalledTexts> {
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
}

const STANDALONE_WEIGHTS = { ...CONTENT_ONLY_WEIGHTS, session: 0 };

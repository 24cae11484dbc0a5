/**
 * Recall over short texts that stand alone (sections of notes, insights, facts): the same words, stems
 * and scores as for messages, but neighbouring texts are no evidence.
 */
import { namedIn } from './question.js';
import { WITHOUT_FORM } from './ranking.js';
import { RecallIndex } from './recall-index.js';
import { cutRecallSnippet, type SnippetStyle } from './recall-snippet.js';

export interface RecalledText {
  readonly id: string;
  /** 0 to about 1.7: how well the words of the question fit, whatever other texts there are. */
  readonly score: number;
}

export interface RecalledTexts {
  readonly total: number;
  readonly hits: readonly RecalledText[];
  /** Whether the question names a thing of this name: see `namedIn`. */
  names(name: string): boolean;
  /** The part of a text that has most words of the question, with those words marked. */
  snippet(text: string, style: SnippetStyle): string;
}

export class TextRecall {
  readonly #index = new RecallIndex();
  readonly #texts = new Map<string, string>();

  /** Replaces all texts by `texts`; one that is unchanged costs nothing. */
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

  /** Those that have some of the words, best first. */
  async ask(
    question: string,
    { limit, signal }: { readonly limit: number; readonly signal?: AbortSignal },
  ): Promise<RecalledTexts> {
    const weights = WORDS_ALONE;
    const answer = await this.#index.ask(question, {
      weights,
      ownOnly: true,
      ...(signal && { signal }),
    });
    const hits = Array.from({ length: Math.min(limit, answer.total) }, (_, position) => {
      const hit = answer.hit(position);
      return hit === undefined ? [] : [{ id: hit.conversationId, score: hit.lexical }];
    });
    const snippet = (text: string, style: SnippetStyle) => {
      const whole = { start: 0, end: text.length };
      return cutRecallSnippet(text, whole, answer.question, this.#index.vocabulary, style);
    };
    return { total: answer.total, hits: hits.flat(), names: namedIn(question), snippet };
  }
}

const WORDS_ALONE = { ...WITHOUT_FORM, session: 0 };

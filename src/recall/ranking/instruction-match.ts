/**
 * How well standing instructions fit a question that has other words: "How should I describe my past jobs?"
 * and "Always use bullet points when I ask about my resume". Two words are related if they are often in the
 * same passages of the conversation. This is measured by their mutual information (Karimzadehgan and Zhai,
 * 2010), as described in docs/RECALL.md. It needs no vectors.
 * message-flags.ts decides which messages are instructions.
 */
import { addBits } from '../../base/arrays/bit-counts.js';
import { type ConversationTerms, contentTerms, passagesIn } from '../conversation-terms.js';
import { LANGUAGES } from '../languages.js';
import type { Hits } from '../matching/lexical-score.js';
import { IS_INSTRUCTION } from '../message-flags.js';
import { instructionsApply, type Question } from '../question/question.js';
import type { Vocabulary } from '../vocabulary.js';
import { stemOf } from '../words/stemming.js';
import type { SessionInput } from './session-scores.js';

/** Words that share fewer passages are not related. */
const MIN_SHARED_PASSAGES = 2;
/** Of a longer conversation, only every second passage is read, or fewer, so that an answer is fast. */
const MAX_PASSAGES = 8_000;
/** The best instruction gets 1 only if it fits at least so well. */
const MIN_BEST = 0.03;

export interface MatchInput extends Omit<SessionInput, 'vectors'> {
  readonly vocabulary: Vocabulary;
}

/**
 * By candidate: 1 for the instruction that fits best, and less for the others. `undefined` for a message that
 * is no instruction for questions about one subject, and for all if the candidates are of several
 * conversations.
 */
export function instructionMatches(input: MatchInput): (number | undefined)[] {
  const { question, candidates, scorer, vocabulary } = input;
  const indexed = candidates[0]?.indexed;
  if (indexed === undefined || candidates.some((candidate) => candidate.indexed !== indexed))
    return [];
  if (question.isOverview || !instructionsApply(question)) return [];
  const { conversation } = indexed;
  const hits = scorer.hitsIn(indexed);
  if (hits.positions.length === 0) return [];
  const subjects = candidates.map(({ message }) => subjectOf(conversation, message, vocabulary));
  const terms = new Set(subjects.flat());
  if (terms.size === 0) return [];
  const related = new RelatedTerms(question, hits, terms, vocabulary.size);
  const matches = subjects.map((own) =>
    scorer.weights.reduce((sum, weight, word) => sum + weight * related.strongest(word, own), 0),
  );
  const best = matches.reduce((most, match) => Math.max(most, match), MIN_BEST);
  return matches.map((match, at) => (subjects[at]?.length ? match / best : undefined));
}

/** The stems after "when I ask"; those before it are about the form of the answer. */
function subjectOf(
  conversation: ConversationTerms,
  message: number,
  vocabulary: Vocabulary,
): number[] {
  if (((conversation.flags[message] ?? 0) & IS_INSTRUCTION) === 0) return [];
  const language = conversation.languages[message] ?? 0;
  const askStems = LANGUAGES[language]?.askWords?.map((word) => stemOf(word, language) ?? '');
  const ask = new Set(askStems?.map((stem) => vocabulary.find(stem)));
  const own = contentTerms(conversation, message);
  const at = own.findIndex((term) => ask.has(term));
  return at < 0 ? [] : [...new Set(own.subarray(at + 1))];
}

/** How strongly the words of a question and the terms of instructions are related in a conversation. */
class RelatedTerms {
  readonly #question: Question;
  /** By term ID: 1 + index in the counts; 0 if the term is in no instruction. */
  readonly #indexOf: Uint32Array;
  /** Number of passages that have a word of the question, a term, and both. */
  readonly #withWord: Uint32Array;
  readonly #withTerm: Uint32Array;
  readonly #shared: Uint32Array;
  /** Number of passages that were read. */
  #passages = 0;

  constructor(question: Question, hits: Hits, terms: ReadonlySet<number>, vocabularySize: number) {
    this.#question = question;
    this.#indexOf = new Uint32Array(vocabularySize);
    this.#withWord = new Uint32Array(question.words.length);
    this.#withTerm = new Uint32Array(terms.size);
    this.#shared = new Uint32Array(terms.size * question.words.length);
    let index = 0;
    for (const term of terms) this.#indexOf[term] = ++index;
    this.#count(hits);
  }

  #count({ conversation, positions, words }: Hits): void {
    const { terms, passages } = conversation;
    const count = passagesIn(conversation);
    const step = Math.ceil(count / MAX_PASSAGES);
    const indexOf = this.#indexOf;
    const withTerm = this.#withTerm;
    const lastPassage = new Int32Array(withTerm.length).fill(-1);
    let first = 0;
    for (let passage = 0; passage < count; passage += step) {
      this.#passages += 1;
      const from = passages[2 * passage] ?? 0;
      const to = passages[2 * passage + 1] ?? 0;
      while (first < positions.length && (positions[first] ?? 0) < from) first++;
      let asked = 0;
      for (let hit = first; hit < positions.length && (positions[hit] ?? 0) < to; hit++)
        asked |= 1 << (words[hit] ?? 0);
      addBits(this.#withWord, 0, asked);
      for (let position = from; position < to; position++) {
        const index = indexOf[terms[position] ?? 0] ?? 0;
        if (index === 0 || lastPassage[index - 1] === passage) continue;
        lastPassage[index - 1] = passage;
        withTerm[index - 1] = (withTerm[index - 1] ?? 0) + 1;
        if (asked !== 0) addBits(this.#shared, this.#sharedAt(0, index - 1), asked);
      }
    }
  }

  #sharedAt(word: number, index: number): number {
    return index * this.#withWord.length + word;
  }

  /** The strongest relation of a word of the question to one of `terms`, 0 to 1; 1 if it is one of them. */
  strongest(word: number, terms: readonly number[]): number {
    if (this.#question.words[word]?.terms.some((term) => terms.includes(term))) return 1;
    let most = 0;
    for (const term of terms) most = Math.max(most, this.#relation(word, term));
    return most;
  }

  #relation(word: number, term: number): number {
    const index = (this.#indexOf[term] ?? 0) - 1;
    const shared = this.#shared[this.#sharedAt(word, index)] ?? 0;
    if (shared < MIN_SHARED_PASSAGES) return 0;
    return mutualInformation(
      this.#passages,
      this.#withWord[word] ?? 0,
      this.#withTerm[index] ?? 0,
      shared,
    );
  }
}

/**
 * Of `all` passages, `a` have one term, `b` another and `both` have both: what one term tells about the
 * other, 0 to 1. 0 if they are in the same passages more seldom than by chance.
 */
function mutualInformation(all: number, a: number, b: number, both: number): number {
  if (both * all <= a * b) return 0;
  const part = (count: number, first: number, second: number) =>
    count <= 0 ? 0 : (count / all) * Math.log((count * all) / (first * second));
  const information =
    part(both, a, b) +
    part(a - both, a, all - b) +
    part(b - both, all - a, b) +
    part(all - a - b + both, all - a, all - b);
  return information / Math.min(entropy(a / all), entropy(b / all));
}

/** Of a term that is in this share of the passages. */
const entropy = (share: number): number =>
  -share * Math.log(share) - (1 - share) * Math.log(1 - share);

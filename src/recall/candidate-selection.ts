/**
 * Selects the messages that are ranked for a question: those that have its words or are near them, those
 * with near vectors, and the instructions and preferences that apply to it.
 */

import type { Candidate, Hits, Scored } from './lexical-score.js';
import { IS_INSTRUCTION, IS_PREFERENCE } from './message-text.js';
import { asksOnlyForTime, instructionsApply, type Question } from './question.js';
import { isInSpan } from './relative-time.js';
import type { VectorScores } from './vector-source.js';

/** The ranking computes features of so many; the others stay in the order of their lexical scores. */
const CANDIDATE_COUNT = 400;
/** At most this many candidates are selected by their vectors. */
const MAX_BY_VECTOR = 200;
/**
 * For a query with this many words or more, messages without any of its words match too if the words are
 * near them. With fewer words this is so only if it is a sentence: `dense bread` is not,
 * "Why was my bread so dense?" is, and the next message has the answer.
 */
const MIN_WORDS_FOR_NEIGHBOURS = 3;

const matchesNeighbours = ({ words, hasFunctionWords, text }: Question): boolean =>
  words.length >= MIN_WORDS_FOR_NEIGHBOURS ||
  (hasFunctionWords && (words.length > 1 || /[?？]\s*$/.test(text)));

/** All messages that match the question. */
export interface Matches {
  /** Messages whose features are computed. */
  readonly candidates: readonly Candidate[];
  /** The other matches, best lexical score first. */
  readonly others: readonly Candidate[];
}

export interface MatchOptions {
  readonly accepts?: (conversationId: string, seq: number) => boolean;
  readonly vectors?: VectorScores | undefined;
  /** Leaves out messages whose content has none of the words of the question's subject. */
  readonly requiresContentMatch?: boolean;
}

/** The best lexical scores, the nearest vectors, and the instructions and preferences that apply. */
export function selectMatches(
  scored: readonly Scored[],
  question: Question,
  options: MatchOptions,
): Matches {
  const { accepts, vectors } = options;
  const includesNeighbours = !options.requiresContentMatch && matchesNeighbours(question);
  // Instructions without a word of the question match only if one conversation is searched: those of other
  // conversations would fill every answer.
  const isStanding = ({ conversation }: Scored, message: number) =>
    includesNeighbours &&
    scored.length === 1 &&
    ((conversation.flags[message] ?? 0) & IS_INSTRUCTION) !== 0;
  const onlyTime = asksOnlyForTime(question);
  const mayMatch = (one: Scored, message: number) =>
    (!onlyTime || isInTime(question, { scored: one, message })) &&
    accepts?.(one.conversationId, message + 1) !== false;
  const subject = options.requiresContentMatch ? subjectOf(question) : everyWordOf(question);
  const matches: (Candidate & { words: number })[] = [];
  const byId = new Map(scored.map((one) => [one.conversationId, one]));
  for (const one of scored) {
    const { scores, own } = one.lexical;
    for (let message = 0; message < scores.length; message++) {
      const words = scores[message] ?? 0;
      const hasWords = includesNeighbours ? words > 0 : ((own[message] ?? 0) & subject) !== 0;
      if ((hasWords || onlyTime || isStanding(one, message)) && mayMatch(one, message))
        matches.push({ scored: one, message, words });
    }
  }
  const answers = includesNeighbours || onlyTime ? matches : withEveryWord(matches, question);
  answers.sort((a, b) => b.words - a.words || newestFirst(a, b));
  if (vectors === undefined) return splitCandidates(answers, question);
  const near = vectors.nearest(MAX_BY_VECTOR, ({ conversationId, seq }) => {
    const one = byId.get(conversationId);
    return one !== undefined && mayMatch(one, seq - 1);
  });
  return splitCandidates(withNearest(near, answers, byId), question);
}

/** Counts, without scores, what `selectMatches` would return for one or two words. */
export class WordMatches {
  readonly #everyWord: number;
  readonly #accepts: MatchOptions['accepts'];
  readonly #except: (message: { conversationId: string; seq: number }) => boolean;
  #some = 0;
  #every = 0;
  #hasEvery = false;

  constructor(
    question: Question,
    accepts: MatchOptions['accepts'],
    except: (message: { conversationId: string; seq: number }) => boolean,
  ) {
    this.#everyWord = everyWordOf(question);
    this.#accepts = accepts;
    this.#except = except;
  }

  /** Whether a question's matches depend only on the words in each message. */
  static areEnoughFor(question: Question, options: MatchOptions): boolean {
    return (
      !matchesNeighbours(question) && !asksOnlyForTime(question) && !options.requiresContentMatch
    );
  }

  /** Counts a conversation's matches. `hits`: the question's words in it. */
  add(conversationId: string, { conversation, positions, words }: Hits): void {
    const { starts, prefixes } = conversation;
    let message = 0;
    for (let hit = 0; hit < positions.length; ) {
      while ((starts[message + 1] ?? 0) <= (positions[hit] ?? 0)) message++;
      const content = (starts[message] ?? 0) + (prefixes[message] ?? 0);
      const end = starts[message + 1] ?? 0;
      let own = 0;
      for (; hit < positions.length && (positions[hit] ?? 0) < end; hit++)
        if ((positions[hit] ?? 0) >= content) own |= 1 << (words[hit] ?? 0);
      if (own !== 0) this.#addMessage(conversationId, message + 1, own === this.#everyWord);
    }
  }

  #addMessage(conversationId: string, seq: number, hasEvery: boolean): void {
    if (this.#accepts?.(conversationId, seq) === false) return;
    this.#hasEvery ||= hasEvery;
    if (this.#except({ conversationId, seq })) return;
    this.#some += 1;
    if (hasEvery) this.#every += 1;
  }

  /** If some messages have every word, only these match. */
  get count(): number {
    return this.#hasEvery ? this.#every : this.#some;
  }
}

/** Whether a message was written in the time that the question names. */
const isInTime = ({ timeSpan }: Question, { scored, message }: Candidate): boolean =>
  timeSpan !== undefined && isInSpan(scored.conversation.times[message] ?? 0, timeSpan);

/**
 * Instructions and preferences that apply to the question are candidates whatever their lexical score: in a
 * long conversation many other messages have more of the question's words. The same is true for messages of
 * the time that the question names, but at most CANDIDATE_COUNT of them.
 */
function splitCandidates(matches: readonly Candidate[], question: Question): Matches {
  const applying = flagsThatApply(question);
  const candidates = matches.slice(0, CANDIDATE_COUNT);
  const others: Candidate[] = [];
  let ofTime = 0;
  for (const match of matches.slice(CANDIDATE_COUNT)) {
    const flags = match.scored.conversation.flags[match.message] ?? 0;
    const isOfTime = ofTime < CANDIDATE_COUNT && isInTime(question, match);
    if (isOfTime) ofTime += 1;
    (isOfTime || (flags & applying) !== 0 ? candidates : others).push(match);
  }
  return { candidates, others };
}

function flagsThatApply(question: Question): number {
  if (question.isOverview) return 0;
  return (
    (instructionsApply(question) ? IS_INSTRUCTION : 0) | (question.isRequest ? IS_PREFERENCE : 0)
  );
}

/** The bitmask of all words of the question. */
export const everyWordOf = ({ words }: Question): number => 2 ** words.length - 1;

/** Bitmask of the words that are not about the conversation; of all words if all are about it. */
function subjectOf(question: Question): number {
  const subject = question.words.reduce(
    (bits, { weight }, word) => (weight < 1 ? bits : bits | (1 << word)),
    0,
  );
  return subject === 0 ? everyWordOf(question) : subject;
}

/** Newest conversation first, then sequence number: the order of indexing does not matter. */
function newestFirst(a: Candidate, b: Candidate): number {
  if (a.scored === b.scored) return a.message - b.message;
  return a.scored.conversationId < b.scored.conversationId ? 1 : -1;
}

/** For a query of one or two words: if some messages have all words, only these match. */
function withEveryWord<Match extends Candidate>(matches: Match[], question: Question): Match[] {
  if (question.words.length >= MIN_WORDS_FOR_NEIGHBOURS) return matches;
  const everyWord = everyWordOf(question);
  const whole = matches.filter(({ scored, message }) => scored.lexical.own[message] === everyWord);
  return whole.length > 0 ? whole : matches;
}

/** Moves up to MAX_BY_VECTOR messages with the nearest vectors to the front, behind the best lexical scores. */
function withNearest(
  near: readonly { conversationId: string; seq: number }[],
  matches: readonly Candidate[],
  byId: ReadonlyMap<string, Scored>,
): Candidate[] {
  const key = (scored: Scored, message: number) => `${scored.conversationId} ${message}`;
  const leading = matches.slice(0, CANDIDATE_COUNT - MAX_BY_VECTOR);
  const seen = new Set(leading.map(({ scored, message }) => key(scored, message)));
  const added: Candidate[] = [];
  for (const { conversationId, seq } of near) {
    const scored = byId.get(conversationId);
    if (scored === undefined || seen.has(key(scored, seq - 1))) continue;
    seen.add(key(scored, seq - 1));
    added.push({ scored, message: seq - 1 });
  }
  const others = matches
    .slice(CANDIDATE_COUNT - MAX_BY_VECTOR)
    .filter(({ scored, message }) => !seen.has(key(scored, message)));
  return [...leading, ...added, ...others];
}

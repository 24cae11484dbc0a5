/**
 * Which messages a question is compared with: those that have its words or stand beside them, those that
 * are near in meaning, and the instructions and preferences that apply to it.
 */
import { IS_INSTRUCTION, IS_PREFERENCE } from './message-text.js';
import { isOpen, type Question } from './question.js';
import type { Candidate, Scored } from './ranking.js';
import type { VectorScores } from './vector-source.js';

/** Messages whose features are computed; those after them stay in the order of their words. */
const CANDIDATES = 400;
/** Of them, how many may come by their vectors alone. */
const BY_VECTOR = 200;
/** A question of so many words or more is also answered by what has none of them but stands beside. */
const WORDS_OF_A_QUESTION = 3;

/** All messages that have some of what is asked. */
export interface Matches {
  /** Those whose features are worth computing. */
  readonly candidates: readonly Candidate[];
  /** The best words first. */
  readonly others: readonly Candidate[];
}

export interface MatchOptions {
  readonly accepts?: (conversationId: string, seq: number) => boolean;
  readonly vectors?: VectorScores | undefined;
  /** Leaves out what has none of the words of the question's subject itself. */
  readonly ownOnly?: boolean;
}

/** Candidates have the best words or the nearest vectors, or say how to answer. */
export function matchesOf(
  scored: readonly Scored[],
  question: Question,
  options: MatchOptions,
): Matches {
  const { accepts, vectors } = options;
  const includesNeighbours = !options.ownOnly && question.words.length >= WORDS_OF_A_QUESTION;
  // Of one conversation: elsewhere another conversation's rules would answer everything.
  const isStanding = ({ stream }: Scored, message: number) =>
    includesNeighbours &&
    scored.length === 1 &&
    ((stream.flags[message] ?? 0) & IS_INSTRUCTION) !== 0;
  const subject = options.ownOnly ? subjectOf(question) : everyWordOf(question);
  const matches: (Candidate & { words: number })[] = [];
  const byId = new Map(scored.map((one) => [one.conversationId, one]));
  for (const one of scored) {
    const { scores, own } = one.lexical;
    for (let message = 0; message < scores.length; message++) {
      const words = scores[message] ?? 0;
      const isMatch =
        (includesNeighbours ? words > 0 : ((own[message] ?? 0) & subject) !== 0) ||
        isStanding(one, message);
      if (isMatch && accepts?.(one.conversationId, message + 1) !== false)
        matches.push({ scored: one, message, words });
    }
  }
  const answers = withEveryWord(matches, question);
  answers.sort((a, b) => b.words - a.words || inTime(a, b));
  if (vectors === undefined) return divided(answers, question);
  const near = vectors.nearest(
    BY_VECTOR,
    ({ conversationId, seq }) =>
      byId.has(conversationId) && accepts?.(conversationId, seq) !== false,
  );
  return divided(joinedWith(near, answers, byId), question);
}

/**
 * Instructions and preferences that apply to the question are candidates wherever their words put them: in a long
 * conversation many messages have more of the words.
 */
function divided(matches: readonly Candidate[], question: Question): Matches {
  const applying = flagsThatApply(question);
  const candidates = matches.slice(0, CANDIDATES);
  const others: Candidate[] = [];
  for (const match of matches.slice(CANDIDATES)) {
    const flags = match.scored.stream.flags[match.message] ?? 0;
    ((flags & applying) === 0 ? others : candidates).push(match);
  }
  return { candidates, others };
}

function flagsThatApply(question: Question): number {
  if (question.isOverview) return 0;
  return (isOpen(question) ? IS_INSTRUCTION : 0) | (question.isRequest ? IS_PREFERENCE : 0);
}

/** A bit for each word. */
export const everyWordOf = ({ words }: Question): number => 2 ** words.length - 1;

/** Bits of the words that are not about the conversation; of all where there are no others. */
function subjectOf(question: Question): number {
  const subject = question.words.reduce(
    (bits, { weight }, word) => (weight < 1 ? bits : bits | (1 << word)),
    0,
  );
  return subject === 0 ? everyWordOf(question) : subject;
}

/** The newest conversation first, each from its beginning: independent of the order in which they were read. */
function inTime(a: Candidate, b: Candidate): number {
  if (a.scored === b.scored) return a.message - b.message;
  return a.scored.conversationId < b.scored.conversationId ? 1 : -1;
}

/** Of one or two words: where messages have all of them, those that have only one are no answer. */
function withEveryWord<Match extends Candidate>(matches: Match[], question: Question): Match[] {
  if (question.words.length >= WORDS_OF_A_QUESTION) return matches;
  const everyWord = everyWordOf(question);
  const whole = matches.filter(({ scored, message }) => scored.lexical.own[message] === everyWord);
  return whole.length > 0 ? whole : matches;
}

/** The nearest by vector take part among the first candidates. */
function joinedWith(
  near: readonly { conversationId: string; seq: number }[],
  matches: readonly Candidate[],
  byId: ReadonlyMap<string, Scored>,
): Candidate[] {
  const key = (scored: Scored, message: number) => `${scored.conversationId} ${message}`;
  const leading = matches.slice(0, CANDIDATES - BY_VECTOR);
  const seen = new Set(leading.map(({ scored, message }) => key(scored, message)));
  const added: Candidate[] = [];
  for (const { conversationId, seq } of near) {
    const scored = byId.get(conversationId);
    if (scored === undefined || seen.has(key(scored, seq - 1))) continue;
    seen.add(key(scored, seq - 1));
    added.push({ scored, message: seq - 1 });
  }
  const others = matches
    .slice(CANDIDATES - BY_VECTOR)
    .filter(({ scored, message }) => !seen.has(key(scored, message)));
  return [...leading, ...added, ...others];
}

/**
 * Selects the messages that are ranked for a question: those that have its words or are near them, those
 * with near vectors, and the instructions and preferences that apply to it. A message is scored only if it
 * can still be among the best. This is known from upper bounds of scores, as in MaxScore (Turtle and Flood,
 * 1995): first that of its conversation, then its own.
 */
import { type Compare, TopK } from '../../base/arrays/top-k.js';
import type { TimeSlice } from '../../base/async/time-slice.js';
import { SYSTEM_SPEAKER } from '../conversation-terms.js';
import { IS_INSTRUCTION, IS_PREFERENCE } from '../message-flags.js';
import { instructionsApply, isInTime, type Question } from '../question/question.js';
import type { VectorScores } from '../vector-source.js';
import type { FoundWords } from './found-words.js';
import { type Candidate, type MessageScorer, NO_SCORE } from './lexical-score.js';
import type { IndexedConversation } from './message-table.js';
import type { MatchOptions, WordMatches } from './word-matches.js';

/** The ranking computes features of so many; the others stay in the order of their lexical scores. */
const CANDIDATE_COUNT = 400;
/** At most this many candidates are selected by their vectors. */
const MAX_BY_VECTOR = 200;
/** Scores are rounded to 32 bits; bounds are not. */
const ROUNDING = 1e-6;
/** Conversations are scored in the order of their bounds, but within a group in any order. */
const BOUND_GROUPS = 64;
/** So many messages are scored between two looks at the clock. */
const STEP = 2_000;

/** All messages of an answer that can be read. */
export interface Selection {
  /** Messages whose features are computed. */
  readonly candidates: readonly Candidate[];
  /** Further messages, best lexical score first. */
  readonly others: readonly Candidate[];
}

export interface SelectionInput {
  readonly question: Question;
  readonly found: FoundWords;
  /** Those of the conversations that can have matches. */
  readonly slots: Uint32Array;
  readonly matches: WordMatches;
  readonly scorer: MessageScorer;
  readonly options: MatchOptions;
  readonly slice: TimeSlice;
}

/**
 * The best lexical scores and the nearest vectors, CANDIDATE_COUNT together; and at most as many more
 * instructions and preferences that apply, and as many more messages of the named time.
 */
export async function selectMatches(input: SelectionInput): Promise<Selection> {
  const { question, found, options, slice } = input;
  const lists = listsOf(question, options);
  const { slots, bounds } = byBound(input);
  for (const slot of slots) {
    const bound = bounds[slot] ?? 0;
    const indexed = found.searched[slot];
    if (indexed === undefined) continue;
    const isOpen = (list: BestList) => bound >= list.threshold && list.mayInclude(indexed);
    if (!lists.some(isOpen)) continue;
    const open = lists.filter(isOpen);
    for (let first = 0; first < indexed.numbers.length; first += STEP) {
      select(indexed, { first, words: found.conversationWords[slot] ?? 0 }, open, input);
      if (slice.isSpent()) await slice.yield();
    }
  }
  const [best = [], ...special] = lists.map((list) => list.sorted());
  const all = options.vectors === undefined ? best : withNearest(options.vectors, best, input);
  const candidates = new Map(
    all.slice(0, CANDIDATE_COUNT).map((candidate) => [keyOf(candidate), candidate]),
  );
  for (const list of special) {
    const more = list.filter((candidate) => !candidates.has(keyOf(candidate)));
    for (const candidate of more.slice(0, CANDIDATE_COUNT))
      candidates.set(keyOf(candidate), candidate);
  }
  const others = all.slice(CANDIDATE_COUNT).filter((other) => !candidates.has(keyOf(other)));
  return { candidates: [...candidates.values()], others };
}

/** The best of the messages that it includes. */
class BestList {
  /** Whether it can include messages of a conversation, and which it includes. */
  readonly mayInclude: (indexed: IndexedConversation) => boolean;
  readonly includes: (indexed: IndexedConversation, message: number) => boolean;
  readonly #messages: TopK<Candidate>;
  /** A message with a lower score is not added. */
  threshold = 0;

  constructor(
    count: number,
    mayInclude: BestList['mayInclude'] = () => true,
    includes: BestList['includes'] = () => true,
  ) {
    this.mayInclude = mayInclude;
    this.includes = includes;
    this.#messages = new TopK(count, byScore);
  }

  offer(candidate: Candidate): void {
    this.#messages.offer(candidate);
    const { last } = this.#messages;
    if (last !== undefined) this.threshold = last.lexical.score - ROUNDING;
  }

  sorted(): Candidate[] {
    return this.#messages.sorted();
  }
}

/** First that of all messages. */
function listsOf(question: Question, { depth = 0 }: MatchOptions): BestList[] {
  const lists = [new BestList(Math.max(CANDIDATE_COUNT, depth))];
  const applying = flagsThatApply(question);
  // In a long conversation many other messages have more of the question's words than these.
  if (applying !== 0)
    lists.push(
      new BestList(
        2 * CANDIDATE_COUNT,
        ({ flags }) => (flags & applying) !== 0,
        ({ conversation }, message) => ((conversation.flags[message] ?? 0) & applying) !== 0,
      ),
    );
  if (question.timeSpan !== undefined)
    lists.push(
      new BestList(
        2 * CANDIDATE_COUNT,
        () => true,
        ({ conversation }, message) => isInTime(question, conversation.times[message]),
      ),
    );
  return lists;
}

/**
 * The slots of the conversations, those whose messages may have the highest scores first; and by slot, a bound
 * of these scores.
 */
function byBound({ found, slots, scorer, matches }: SelectionInput) {
  const { numbers, table, searched, conversationWords } = found;
  const bounds = new Float64Array(searched.length);
  for (const number of numbers) {
    const slot = table.slots[number] ?? 0;
    const gain = scorer.gainOf(number);
    if (gain > (bounds[slot] ?? 0)) bounds[slot] = gain;
  }
  let highest = 0;
  for (const slot of slots) {
    const bound = scorer.boundOf(bounds[slot] ?? 0, scorer.weightOf(conversationWords[slot] ?? 0));
    bounds[slot] = bound;
    highest = Math.max(highest, bound);
  }
  const groups: number[][] = Array.from({ length: BOUND_GROUPS }, () => []);
  for (const slot of slots) {
    if (conversationWords[slot] === 0 && !matches.includesWordless) continue;
    const share = highest === 0 ? 1 : (bounds[slot] ?? 0) / highest;
    groups[Math.floor((1 - share) * (BOUND_GROUPS - 1))]?.push(slot);
  }
  return { slots: groups.flat(), bounds };
}

/**
 * Adds messages of one conversation, from `first` on at most STEP, to the lists. `words`: bitmask of the words
 * that the conversation has.
 */
function select(
  indexed: IndexedConversation,
  { first, words }: { readonly first: number; readonly words: number },
  lists: readonly BestList[],
  { matches, scorer }: SelectionInput,
): void {
  const allWeight = scorer.weightOf(words);
  const end = Math.min(first + STEP, indexed.numbers.length);
  for (let message = first; message < end; message++) {
    let threshold = Number.POSITIVE_INFINITY;
    for (const list of lists)
      if (list.threshold < threshold && list.includes(indexed, message)) threshold = list.threshold;
    const gain = scorer.gainOf(indexed.numbers[message] ?? 0);
    if (scorer.boundOf(gain, allWeight) < threshold) continue;
    const around = scorer.wordsAround(indexed, message, words);
    if (scorer.boundOf(gain, scorer.weightOf(around)) < threshold) continue;
    const isMatch = matches.matches(indexed, message);
    if (!isMatch && (around === 0 || !matches.includesNeighbours || isSystem(indexed, message)))
      continue;
    const lexical = scorer.score(indexed, message, threshold);
    if (lexical === undefined || (!isMatch && lexical.score === 0)) continue;
    if (!matches.accepts(indexed, message)) continue;
    const candidate = { indexed, message, lexical };
    for (const list of lists) if (list.includes(indexed, message)) list.offer(candidate);
  }
}

/** A system message is no reply to its neighbours. The same one begins every research conversation. */
const isSystem = ({ conversation }: IndexedConversation, message: number) =>
  conversation.speakers[message] === SYSTEM_SPEAKER;

function flagsThatApply(question: Question): number {
  if (question.isOverview) return 0;
  return (
    (instructionsApply(question) ? IS_INSTRUCTION : 0) | (question.isRequest ? IS_PREFERENCE : 0)
  );
}

/** Equal scores: newest conversation first, then sequence number. The order of indexing does not matter. */
const byScore: Compare<Candidate> = (a, b) => {
  const difference = b.lexical.score - a.lexical.score;
  if (difference !== 0) return difference;
  if (a.indexed === b.indexed) return a.message - b.message;
  return a.indexed.conversationId < b.indexed.conversationId ? 1 : -1;
};

const keyOf = ({ indexed, message }: Candidate): string => `${indexed.conversationId} ${message}`;

/** Moves up to MAX_BY_VECTOR messages with the nearest vectors to the front, behind the best lexical scores. */
function withNearest(
  vectors: VectorScores,
  best: readonly Candidate[],
  { found, matches, scorer }: SelectionInput,
): Candidate[] {
  const searched = (id: string) => found.searched[found.table.slotOf.get(id) ?? 0];
  const leading = best.slice(0, CANDIDATE_COUNT - MAX_BY_VECTOR);
  const seen = new Set(leading.map(keyOf));
  const near = vectors.nearest(MAX_BY_VECTOR, ({ conversationId, seq }) => {
    const indexed = searched(conversationId);
    // Vectors may be those of messages before a change.
    const isIndexed = indexed !== undefined && seq <= indexed.numbers.length;
    return isIndexed && matches.accepts(indexed, seq - 1);
  });
  const added: Candidate[] = [];
  for (const { conversationId, seq } of near) {
    const indexed = searched(conversationId);
    if (indexed === undefined || seen.has(`${conversationId} ${seq - 1}`)) continue;
    const lexical = scorer.score(indexed, seq - 1) ?? NO_SCORE;
    const candidate = { indexed, message: seq - 1, lexical };
    seen.add(keyOf(candidate));
    added.push(candidate);
  }
  const others = best
    .slice(CANDIDATE_COUNT - MAX_BY_VECTOR)
    .filter((candidate) => !seen.has(keyOf(candidate)));
  return [...leading, ...added, ...others];
}

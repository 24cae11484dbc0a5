/**
 * Fills the budget of `session_start` (docs/CONTINUITY.md): open questions, promises and the last turns of
 * the session, as quotations of stored messages. It interprets nothing: the reader decides what is still
 * open.
 */

import type { TimeSlice } from '../base/async/time-slice.js';
import { estimateTextTokens } from '../base/text/estimate-tokens.js';
import type { MessageFacts } from '../search/messages/message-hits.js';
import { lastSession, type Session } from './last-session.js';
import { type OpenQuestion, openQuestions } from './open-questions.js';
import { type Excerpt, withoutRepeats } from './picked-sentences.js';
import { dueFirst, type PromiseCandidate, promisesIn } from './promises.js';

/** Maximum share of the budget for questions, and the same for promises. */
const SHARE_OF_CANDIDATES = 0.25;
/** A turn that does not fit is shown in part if at least this many tokens of it fit. */
const MIN_PART_TOKENS = 60;
/** Maximum share for one turn, so that a long answer does not push out its question. */
const SHARE_OF_ONE_TURN = 0.5;

export interface Turn extends Omit<MessageFacts, 'conversationId'> {
  readonly content: string;
  /** True if the middle of the text was left out. */
  readonly isCut?: boolean;
}

export interface Snapshot {
  readonly session: Session;
  readonly lastTurns: readonly Turn[];
  readonly openQuestions: readonly OpenQuestion[];
  readonly promises: readonly PromiseCandidate[];
  /** What did not fit into the budget. */
  readonly omitted: {
    readonly turns: number;
    readonly openQuestions: number;
    readonly promises: number;
  };
}

/**
 * `conversations`: the conversation to continue, then older ones for their questions and promises. `tokens`
 * limits turns and candidates together, `maxTurns` the number of turns. `undefined` if the first
 * conversation has no message.
 */
export async function snapshotOf(
  conversations: readonly Excerpt[],
  { tokens, maxTurns = Number.POSITIVE_INFINITY }: { tokens: number; maxTurns?: number },
  slice: TimeSlice,
): Promise<Snapshot | undefined> {
  const [latest] = conversations;
  const session = latest && lastSession(latest.messages, latest.first);
  if (latest === undefined || session === undefined) return undefined;
  const share = tokens * SHARE_OF_CANDIDATES;
  const questionsOfAll: OpenQuestion[] = [];
  const candidates: PromiseCandidate[] = [];
  for (const conversation of conversations) {
    questionsOfAll.push(...(await openQuestions(conversation, slice)));
    candidates.push(...(await promisesIn(conversation, slice)));
  }
  const asked = withoutRepeats(questionsOfAll); // a branch repeats the sentences of its source
  const promised = dueFirst(withoutRepeats(candidates));
  const questions = fitting(asked, share);
  const promises = fitting(promised, share);
  const { lastTurns, turns } = turnsOf(latest, session, {
    tokens: tokens - questions.spent - promises.spent,
    maxTurns,
  });
  return {
    session,
    lastTurns,
    openQuestions: questions.kept,
    promises: promises.kept,
    omitted: {
      turns: turns - lastTurns.length,
      openQuestions: asked.length - questions.kept.length,
      promises: promised.length - promises.kept.length,
    },
  };
}

function fitting<T>(items: readonly T[], tokens: number): { kept: T[]; spent: number } {
  const kept: T[] = [];
  let spent = 0;
  for (const item of items) {
    const cost = estimateTextTokens(JSON.stringify(item));
    if (spent + cost > tokens) break;
    spent += cost;
    kept.push(item);
  }
  return { kept, spent };
}

/** The last turns of the session that fit, in order. System messages are not turns. */
function turnsOf(
  { messages, first = 1 }: Excerpt,
  { fromSeq }: Session,
  { tokens, maxTurns }: { tokens: number; maxTurns: number },
) {
  const lastTurns: Turn[] = [];
  const dialogue = messages
    .map((message, index) => ({ message, seq: first + index }))
    .filter(({ message, seq }) => message.role !== 'system' && seq >= fromSeq);
  let room = tokens;
  for (const { message, seq } of dialogue.toReversed()) {
    const { id: messageId, role, createdAt, content } = message;
    const frame = { messageId, seq, role, createdAt };
    const overhead = estimateTextTokens(JSON.stringify(frame)) + 5;
    const shown = shortened(content, Math.min(room, tokens * SHARE_OF_ONE_TURN) - overhead);
    if (shown === undefined) break;
    const turn = { ...frame, ...shown };
    lastTurns.unshift(turn);
    room -= estimateTextTokens(JSON.stringify(turn));
    if (room <= 0 || lastTurns.length >= maxTurns) break;
  }
  return { lastTurns, turns: dialogue.length };
}

/** Its beginning and end with an ellipsis between; `undefined` if too little would be left. */
export function shortened(
  content: string,
  tokens: number,
): { content: string; isCut?: true } | undefined {
  const cost = estimateTextTokens(JSON.stringify(content));
  if (cost <= tokens) return { content };
  if (tokens < MIN_PART_TOKENS) return undefined;
  const characters = [...content];
  const keep = Math.floor((characters.length * tokens) / cost) - 6;
  const head = characters
    .slice(0, Math.ceil(keep * 0.6))
    .join('')
    .trimEnd();
  const tail = characters
    .slice(characters.length - Math.floor(keep * 0.4))
    .join('')
    .trimStart();
  return { content: `${head} […] ${tail}`, isCut: true };
}

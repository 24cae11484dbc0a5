/**
 * A session start as tools and prompts return it: the parts under their public names, a note for each part
 * that is empty or shortened, and all of it as text with times in the reader's time zone.
 */

import { defined } from '../base/json.js';
import { localTime } from '../base/local-time.js';
import { countOf } from '../base/text/display-text.js';
import { escapeMessageStarts } from '../base/text/message-starts.js';
import type { Session } from './last-session.js';
import type { OpenQuestion } from './open-questions.js';
import type { Candidate } from './picked-sentences.js';
import type { PromiseCandidate } from './promises.js';
import type { RelatedPassage } from './related-passages.js';
import type { SessionStart } from './session-start.js';
import type { Turn } from './session-start-budget.js';

type OfThread<T extends Candidate> = Omit<T, 'conversationId'> & { threadId: string };

/** Times of the session for people, such as `2025-12-24 20:30 (Asia/Qatar)`. */
interface LocalTimes {
  startedAtLocal: string;
  endedAtLocal: string;
}

export interface SessionStartView {
  found: boolean;
  notes: string[];
  thread?: { id: string; title?: string; module?: string };
  session?: Session & LocalTimes;
  distinctiveWords: string[];
  openQuestions: OfThread<OpenQuestion>[];
  promises: OfThread<PromiseCandidate>[];
  related: (Omit<OfThread<RelatedPassage>, 'words'> & { words: string[] })[];
  lastTurns: Turn[];
}

interface ViewRequest {
  readonly module?: string | undefined;
  readonly timeZone: string;
  readonly currentThreadId?: string | undefined;
}

export function viewOf(
  start: SessionStart | undefined,
  { module, timeZone, currentThreadId }: ViewRequest,
): SessionStartView {
  if (start === undefined) {
    const where = module === undefined ? '' : ` in the module ${JSON.stringify(module)}`;
    const lists = {
      distinctiveWords: [],
      openQuestions: [],
      promises: [],
      related: [],
      lastTurns: [],
    };
    const others = currentThreadId === undefined ? '' : ' outside the current thread';
    return { found: false, notes: [`There is no message${where}${others} yet.`], ...lists };
  }
  const { conversationId: id, title, module: own } = start.head;
  return {
    found: true,
    notes: notesOf(start),
    thread: defined({ id, title, module: own }),
    session: {
      ...start.session,
      startedAtLocal: localTime(start.session.startedAt, timeZone),
      endedAtLocal: localTime(start.session.endedAt, timeZone),
    },
    distinctiveWords: [...start.distinctiveWords],
    openQuestions: start.openQuestions.map(ofThread),
    promises: start.promises.map(ofThread),
    related: (start.related ?? []).map((one) => ({ ...ofThread(one), words: [...one.words] })),
    lastTurns: [...start.lastTurns],
  };
}

function ofThread<T extends Candidate>({ conversationId, ...rest }: T): OfThread<T> {
  return { ...rest, threadId: conversationId };
}

const LEFT_OUT = { turns: 'earlier turn', openQuestions: 'open question', promises: 'promise' };

function notesOf(start: SessionStart) {
  const { head, distinctiveWords, openQuestions, promises, related, omitted } = start;
  const notes: string[] = [];
  if (head.title === undefined) notes.push('The thread has no title.');
  if (distinctiveWords.length === 0) notes.push('The session has no distinctive words.');
  if (openQuestions.length + omitted.openQuestions === 0)
    notes.push('No unanswered question was found.');
  if (promises.length + omitted.promises === 0)
    notes.push('No sentence that looks like a promise was found.');
  if (related === undefined)
    notes.push('Earlier threads were not searched: the recall index is still being built.');
  else if (related.length === 0)
    notes.push('No passage of another thread about the same was found.');
  for (const part of ['turns', 'openQuestions', 'promises'] as const) {
    if (omitted[part] > 0)
      notes.push(`${countOf(omitted[part], LEFT_OUT[part])} did not fit into the answer.`);
  }
  return notes;
}

/** The view as text: stored sentences are in quotation marks, turns at the end. */
export function sessionStartText(view: SessionStartView): string {
  const { thread, session, distinctiveWords, notes, openQuestions, promises, related, lastTurns } =
    view;
  if (thread === undefined || session === undefined) return notes.join(' ');
  const { id, title = 'untitled', module } = thread;
  const turns = lastTurns.map(
    ({ seq, role, createdAt, content }) =>
      `#${seq} ${role}, ${createdAt}\n${escapeMessageStarts(content)}`,
  );
  return [
    [
      `Thread ${id}: ${JSON.stringify(title)}${module === undefined ? '' : `, module ${JSON.stringify(module)}`}`,
      `Last session: ${session.startedAtLocal} to ${session.endedAtLocal}, ${countOf(session.durationMinutes, 'minute')}, ${countOf(session.messages, 'message')}`,
      ...(distinctiveWords.length === 0
        ? []
        : [`Distinctive words: ${distinctiveWords.join(', ')}`]),
      ...notes,
    ].join('\n'),
    ...section('Questions without an answer that Daybook found:', lines(openQuestions)),
    ...section('Sentences that look like promises:', lines(promises)),
    ...section('Passages of earlier threads about the same subject:', lines(related)),
    ...section('Last turns:\n', turns, '\n\n'),
  ].join('\n\n');
}

/** An empty part has no heading: the notes say whether nothing was found, or it did not fit. */
const section = (heading: string, parts: readonly string[], between = '\n'): string[] =>
  parts.length === 0 ? [] : [`${heading}\n${parts.join(between)}`];

function lines(candidates: readonly OfThread<Candidate>[]): string[] {
  return candidates.map(
    ({ text, threadId, messageId, role, createdAt }) =>
      `- ${role}, ${createdAt}: ${JSON.stringify(text)} (thread ${threadId}, message ${messageId})`,
  );
}

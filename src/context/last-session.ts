/**
 * The last session of a conversation: its last messages, up to the last long pause. Sessions with other pauses are
 * in analytics/pace.ts and recall/matching/sessions.ts.
 */
import type { Message } from '../stores/conversations/document/schema.js';

/** A longer pause ends a session. Here a session is a day's work, with pauses for meals and meetings. */
const PAUSE_MS = 4 * 60 * 60 * 1000;

export interface Session {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMinutes: number;
  /** Position of its first message, from 1. */
  readonly fromSeq: number;
  readonly messages: number;
}

/** `firstSeq`: the position of the first of these messages, from 1. `undefined` if there is no message. */
export function lastSession(messages: readonly Message[], firstSeq = 1): Session | undefined {
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  let first = last;
  let at = messages.length - 1;
  for (; at > 0; at -= 1) {
    const before = messages[at - 1];
    // The time is negative if the clock was set back between the two messages.
    if (before === undefined || Math.abs(elapsed(before, first)) > PAUSE_MS) break;
    first = before;
  }
  return {
    startedAt: first.createdAt,
    endedAt: last.createdAt,
    durationMinutes: Math.max(0, Math.round(elapsed(first, last) / 60_000)),
    fromSeq: firstSeq + at,
    messages: messages.length - at,
  };
}

function elapsed(from: Message, to: Message): number {
  return Date.parse(to.createdAt) - Date.parse(from.createdAt);
}

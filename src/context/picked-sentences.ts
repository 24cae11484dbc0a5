/**
 * Sentences of stored messages that a rule has selected, each with its message. Sentences are never
 * rephrased, joined or completed; docs/CONTINUITY.md lists the rules.
 */
import type { TimeSlice } from '../base/async/time-slice.js';
import type { MessageFacts } from '../search/messages/message-hits.js';
import type { Message } from '../stores/conversations/document/schema.js';

export interface Candidate extends MessageFacts {
  /** The sentence as it was written. */
  readonly text: string;
}

/** A conversation, or its last messages. */
export interface Excerpt {
  readonly conversationId: string;
  readonly messages: readonly Message[];
  /** Sequence number of the first of these messages, from 1 (the default). */
  readonly first?: number;
}

export interface LocatedMessage {
  readonly conversation: Excerpt;
  readonly message: Message;
  /** Sequence number in the conversation, from 1. */
  readonly seq: number;
}

export function candidate({ conversation, message, seq }: LocatedMessage, text: string): Candidate {
  const { conversationId } = conversation;
  const { id: messageId, role, createdAt } = message;
  return { text, conversationId, messageId, seq, role, createdAt };
}

/** The latest messages of the user or the assistant, at most `most`, newest first. */
export function latestMessages(conversation: Excerpt, most: number): LocatedMessage[] {
  const located: LocatedMessage[] = [];
  const { messages, first = 1 } = conversation;
  for (let at = messages.length - 1; at >= 0 && located.length < most; at -= 1) {
    const message = messages[at];
    if (message !== undefined && message.role !== 'system') {
      located.push({ conversation, message, seq: first + at });
    }
  }
  return located;
}

/** The results of `pick` for all messages, in their order and without repeated texts. */
export async function selectFrom<T extends Candidate>(
  located: readonly LocatedMessage[],
  slice: TimeSlice,
  pick: (each: LocatedMessage) => readonly T[],
): Promise<T[]> {
  const found: T[] = [];
  for (const each of located) {
    if (slice.isSpent()) await slice.yield();
    found.push(...pick(each));
  }
  return withoutRepeats(found);
}

/** Keeps the first candidate of each text. */
export function withoutRepeats<T extends Candidate>(candidates: readonly T[]): T[] {
  const seen = new Set<string>();
  return candidates.filter(({ text }) => {
    const key = text.toLowerCase().replace(/\s+/g, ' ');
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

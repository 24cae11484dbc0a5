/**
 * Summaries of several conversations, or of a period, one after the other. A whole conversation has its
 * stored or extractive summary; for one that is only partly in the period, the messages in the period are
 * summarised. No language model is called, because twenty conversations would take long and cost money.
 */
import { undefinedIfUnreadable } from '../../base/errors.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ConversationHead, Role } from '../../stores/conversations/document/schema.js';
import type { SummaryLevel } from '../../stores/summaries/summary-file.js';
import type { SummaryService } from './summary-service.js';

export interface Span {
  /** Epoch milliseconds; inclusive. */
  readonly start?: number;
  readonly end?: number;
}

export interface SpanSummary {
  readonly head: ConversationHead;
  /** Number of the conversation's messages that are in the period. */
  readonly messages: number;
  /** True if only a part of the conversation is in the period. */
  readonly isPart: boolean;
  readonly isStale: boolean;
  readonly text: string;
}

/** By message: its role and time in epoch milliseconds. */
interface MessageTimes {
  readonly roles: readonly Role[];
  readonly times: readonly number[];
}

/** `undefined` if no message is in the period, or the conversation is deleted or damaged. Throws CANCELLED. */
export async function summaryInSpan(
  { conversationId }: ConversationHead,
  { level, span, signal }: { level: SummaryLevel; span: Span; signal: AbortSignal },
  { conversations, summaries }: { conversations: ConversationStore; summaries: SummaryService },
): Promise<SpanSummary | undefined> {
  const conversation = await undefinedIfUnreadable(conversations.load(conversationId));
  if (conversation === undefined) return undefined;
  const { messages: all, ...head } = conversation;
  const inSpan = all.filter(
    (message) => message.role !== 'system' && isIn(span, Date.parse(message.createdAt)),
  );
  if (inSpan.length === 0) return undefined;
  const dialogue = all.filter(({ role }) => role !== 'system');
  if (inSpan.length < dialogue.length) {
    const text = await summaries.ofPart(conversation, inSpan, level, signal);
    return { head, messages: inSpan.length, isPart: true, isStale: false, text: text ?? '' };
  }
  const answer = await summaries.get(conversationId, level, { usesModels: false, signal });
  const { summary, isStale } = answer;
  return { head, messages: inSpan.length, isPart: false, isStale, text: summary?.text ?? '' };
}

/**
 * Whether a conversation has messages in the period, by the times in the message index. The times of the
 * conversation are not enough: after an import, in a branch or in a file written by hand, messages may be
 * older than the conversation.
 */
export function hasMessageIn(span: Span, { roles, times }: MessageTimes): boolean {
  return times.some((time, at) => roles[at] !== 'system' && isIn(span, time));
}

const isIn = ({ start, end }: Span, time: number) =>
  (start === undefined || time >= start) && (end === undefined || time <= end);

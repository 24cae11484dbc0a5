/**
 * Splits a conversation into pages with limited messages and tokens; a long message continues on the next
 * page. A cursor is `seq:offset:mark`: the position of a message, from 1, an offset in UTF-16 units, and a hash of
 * the message's id. The mark finds the message if earlier ones were deleted since; it may be missing.
 */
import { AppError } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import { endWithin, estimateTextTokens } from '../../base/text/estimate-tokens.js';
import type { Message } from '../../stores/conversations/document/schema.js';

interface PagedMessage {
  seq: number;
  message: Message;
  content: string;
  /** Position of `content` in the whole message, in UTF-16 units. */
  offset: number;
  /** The rest of the message is on the next page. */
  isCut: boolean;
}

export interface MessagePage {
  messages: PagedMessage[];
  nextCursor?: string;
}

export interface PageLimits {
  limit: number;
  maxTokens: number;
  cursor?: string;
}

/** `listed`: the messages to show, in order, with their positions. Invalid cursor: VALIDATION_ERROR. */
export function messagePageOf(
  listed: readonly { seq: number; message: Message }[],
  { limit, maxTokens, cursor }: PageLimits,
): MessagePage {
  const from = startIn(listed, parseCursor(cursor));
  const rest = listed.filter(({ seq }) => seq >= from.seq);
  const messages: PagedMessage[] = [];
  let room = maxTokens;
  for (const { seq, message } of rest) {
    const offset = seq === from.seq ? Math.min(from.offset, message.content.length) : 0;
    if (messages.length === limit || room <= 0)
      return { messages, nextCursor: cursorAt(seq, offset, message) };
    const end = endWithin(message.content, offset, room);
    const isCut = end < message.content.length;
    // Only the first message of a page is cut; other messages are easier to read in one piece.
    if (isCut && messages.length > 0)
      return { messages, nextCursor: cursorAt(seq, offset, message) };
    messages.push({ seq, message, content: message.content.slice(offset, end), offset, isCut });
    if (isCut) return { messages, nextCursor: cursorAt(seq, end, message) };
    room -= estimateTextTokens(
      JSON.stringify({ ...message, content: message.content.slice(offset, end) }),
    );
  }
  return { messages };
}

export interface PageStart {
  /** From 1. */
  readonly seq: number;
  /** In UTF-16 units. */
  readonly offset: number;
  readonly mark?: string | undefined;
}

/** Throws VALIDATION_ERROR. */
export function parseCursor(cursor: string | undefined): PageStart {
  if (cursor === undefined) return { seq: 1, offset: 0 };
  const match = /^(\d{1,9}):(\d{1,12})(?::([0-9a-f]{8}))?$/.exec(cursor);
  if (match) return { seq: Number(match[1]), offset: Number(match[2]), mark: match[3] };
  throw badCursor();
}

/** Whether a page can start at this message. */
export const isMarked = ({ id }: Message, { mark }: PageStart): boolean =>
  mark === undefined || sha256Hex(id).startsWith(mark);

const cursorAt = (seq: number, offset: number, { id }: Message) =>
  `${seq}:${offset}:${sha256Hex(id).slice(0, 8)}`;

/** If the message was deleted, the page starts at the message that has its position now. */
function startIn(
  listed: readonly { seq: number; message: Message }[],
  start: PageStart,
): PageStart {
  if (start.mark === undefined) return start;
  const atSeq = listed.find(({ seq }) => seq === start.seq);
  if (atSeq !== undefined && isMarked(atSeq.message, start)) return start;
  const found = listed.find(({ message }) => isMarked(message, start));
  return found === undefined ? { seq: start.seq, offset: 0 } : { ...start, seq: found.seq };
}

export const badCursor = () =>
  new AppError('VALIDATION_ERROR', 'This list did not return this cursor.', {
    hint: 'Pass nextCursor of the previous page unchanged. To start at the beginning, omit `cursor`.',
    details: { field: 'cursor' },
  });

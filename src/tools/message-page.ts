/**
 * Splits a conversation into pages with limited messages and tokens; a long message continues on the next
 * page. A cursor is `seq:offset`: the position of a message, from 1, and an offset in UTF-16 units.
 */
import { AppError } from '../base/errors.js';
import { endWithin, estimateTextTokens } from '../base/estimate-tokens.js';
import type { Message } from '../stores/conversations/document/schema.js';

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
  const from = parseCursor(cursor);
  const rest = listed.filter(({ seq }) => seq >= from.seq);
  const messages: PagedMessage[] = [];
  let room = maxTokens;
  for (const { seq, message } of rest) {
    const offset = seq === from.seq ? Math.min(from.offset, message.content.length) : 0;
    if (messages.length === limit || room <= 0) return { messages, nextCursor: `${seq}:${offset}` };
    const end = endWithin(message.content, offset, room);
    const isCut = end < message.content.length;
    // Only the first message of a page is cut; other messages are easier to read in one piece.
    if (isCut && messages.length > 0) return { messages, nextCursor: `${seq}:${offset}` };
    messages.push({ seq, message, content: message.content.slice(offset, end), offset, isCut });
    if (isCut) return { messages, nextCursor: `${seq}:${end}` };
    room -= estimateTextTokens(
      JSON.stringify({ ...message, content: message.content.slice(offset, end) }),
    );
  }
  return { messages };
}

/** Position from 1, and offset in UTF-16 units. Throws VALIDATION_ERROR. */
export function parseCursor(cursor: string | undefined): { seq: number; offset: number } {
  if (cursor === undefined) return { seq: 1, offset: 0 };
  const match = /^(\d{1,9}):(\d{1,12})$/.exec(cursor);
  if (match) return { seq: Number(match[1]), offset: Number(match[2]) };
  throw badCursor();
}

export const badCursor = () =>
  new AppError('VALIDATION_ERROR', 'This list did not return this cursor.', {
    hint: 'Pass nextCursor of the previous page unchanged. To start at the beginning, omit `cursor`.',
    details: { field: 'cursor' },
  });

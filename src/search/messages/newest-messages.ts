/**
 * Finds the newest messages of all conversations by the times in the message index, without reading files.
 * Imported and merged conversations are sorted by the times of their messages.
 */
import { TopK } from '../../base/arrays/top-k.js';
import { fitsModule } from '../../stores/modules.js';
import type { MessageIndex } from './message-index.js';

/** A message and its time. The last one of a page is the cursor of the next page. */
export interface TimedMessage {
  readonly conversationId: string;
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly time: number;
}

export interface NewestRequest {
  readonly module?: string;
  /** Epoch milliseconds, inclusive. */
  readonly since?: number;
  /** Only messages after this one in the order of the answer. */
  readonly after?: TimedMessage;
  readonly limit: number;
}

export interface Newest {
  /** Number of all messages that pass the filters. */
  readonly total: number;
  readonly messages: readonly TimedMessage[];
  readonly hasMore: boolean;
}

/** Newest first. Messages of the same time are sorted by conversation, the youngest first, then by seq. */
export function newestMessages(index: MessageIndex, request: NewestRequest): Newest {
  const { module, since = Number.NEGATIVE_INFINITY, after, limit } = request;
  const newest = new TopK(limit + 1, compare);
  const floor = lastTimesFloor(index, request);
  let total = 0;
  for (const [conversationId, { module: own, times }] of index.conversations()) {
    if (!fitsModule(own, module)) continue;
    for (let position = times.length - 1; position >= 0; position -= 1) {
      const time = times[position] ?? 0;
      if (time < since) continue;
      total += 1;
      if (
        time < Math.max(floor, newest.last?.time ?? floor) ||
        (after !== undefined && time > after.time)
      )
        continue;
      const message = { conversationId, seq: position + 1, time };
      if (after === undefined || compare(after, message) < 0) newest.offer(message);
    }
  }
  const messages = newest.sorted();
  return { total, messages: messages.slice(0, limit), hasMore: messages.length > limit };
}

/**
 * A lower bound of the times of the newest `limit + 1` messages, computed from the last message of each
 * conversation. With it, most messages need only one comparison.
 */
function lastTimesFloor(index: MessageIndex, request: NewestRequest): number {
  const { module, since = Number.NEGATIVE_INFINITY, after, limit } = request;
  const lasts: number[] = [];
  for (const [, { module: own, times }] of index.conversations()) {
    if (!fitsModule(own, module)) continue;
    const last = times.at(-1);
    if (last === undefined || last < since) continue;
    if (after === undefined || last < after.time) lasts.push(last);
  }
  return (
    Float64Array.from(lasts)
      .sort()
      .at(-(limit + 1)) ?? Number.NEGATIVE_INFINITY
  );
}

/** Ids of the conversations with the newest messages, newest first. */
export function newestConversations(
  index: MessageIndex,
  { module, limit }: Pick<NewestRequest, 'module' | 'limit'>,
): string[] {
  const newest = new TopK(limit, compare);
  for (const [conversationId, { module: own, times }] of index.conversations()) {
    if (!fitsModule(own, module) || times.length === 0) continue;
    let time = Number.NEGATIVE_INFINITY;
    for (const each of times) time = Math.max(time, each);
    newest.offer({ conversationId, seq: times.length, time });
  }
  return newest.sorted().map(({ conversationId }) => conversationId);
}

function compare(a: TimedMessage, b: TimedMessage): number {
  if (a.time !== b.time) return b.time - a.time;
  if (a.conversationId !== b.conversationId) return a.conversationId < b.conversationId ? 1 : -1;
  return b.seq - a.seq;
}

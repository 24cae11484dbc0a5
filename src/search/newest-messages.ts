/**
 * The newest messages of all conversations, by the times that the index holds in memory: no file is
 * read, however many there are, and imported or merged conversations are in their right place.
 */
import type { MessageIndex } from './message-index.js';

export interface MessagePlace {
  readonly conversationId: string;
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly time: number;
}

export interface NewestRequest {
  readonly module?: string;
  /** Epoch milliseconds, included. */
  readonly since?: number;
  /** Only what comes after this one in the order of the answer. */
  readonly after?: MessagePlace;
  readonly limit: number;
}

export interface Newest {
  /** All messages of the module and time, on whatever page. */
  readonly total: number;
  readonly places: readonly MessagePlace[];
  readonly hasMore: boolean;
}

/** Newest first; of one moment the younger conversation first, within one the later message. */
export function newestMessages(index: MessageIndex, request: NewestRequest): Newest {
  const { module, since = Number.NEGATIVE_INFINITY, after, limit } = request;
  const found = new Newer(limit + 1, lastTimesFloor(index, request));
  let total = 0;
  for (const [conversationId, { module: own, times }] of index.conversations()) {
    if (module !== undefined && own !== module) continue;
    for (let position = times.length - 1; position >= 0; position -= 1) {
      const time = times[position] ?? 0;
      if (time < since) continue;
      total += 1;
      if (time < found.least || (after !== undefined && time > after.time)) continue;
      const place = { conversationId, seq: position + 1, time };
      if (after === undefined || compare(after, place) < 0) found.add(place);
    }
  }
  const places = found.sorted();
  return { total, places: places.slice(0, limit), hasMore: places.length > limit };
}

/**
 * A time that at least `limit + 1` messages of the answer are not older than, by the last message of
 * each conversation: in whatever order the index holds them, most messages then cost one comparison.
 */
function lastTimesFloor(index: MessageIndex, request: NewestRequest): number {
  const { module, since = Number.NEGATIVE_INFINITY, after, limit } = request;
  const lasts: number[] = [];
  for (const [, { module: own, times }] of index.conversations()) {
    if (module !== undefined && own !== module) continue;
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

/** Ids of the conversations that have the newest messages, newest first. */
export function newestConversations(
  index: MessageIndex,
  { module, limit }: Pick<NewestRequest, 'module' | 'limit'>,
): string[] {
  const found = new Newer(limit);
  for (const [conversationId, { module: own, times }] of index.conversations()) {
    if ((module !== undefined && own !== module) || times.length === 0) continue;
    let time = Number.NEGATIVE_INFINITY;
    for (const each of times) time = Math.max(time, each);
    if (time >= found.least) found.add({ conversationId, seq: times.length, time });
  }
  return found.sorted().map(({ conversationId }) => conversationId);
}

/** Keeps the newest so many of everything added; sorts now and then instead of at every one. */
class Newer {
  readonly #limit: number;
  #places: MessagePlace[] = [];
  /** An older place is surely not among them. */
  least: number;

  constructor(limit: number, least = Number.NEGATIVE_INFINITY) {
    this.#limit = limit;
    this.least = least;
  }

  add(place: MessagePlace): void {
    this.#places.push(place);
    if (this.#places.length >= 2 * this.#limit) this.#cut();
  }

  sorted(): readonly MessagePlace[] {
    this.#cut();
    return this.#places;
  }

  #cut(): void {
    this.#places = this.#places.sort(compare).slice(0, this.#limit);
    if (this.#places.length === this.#limit) this.least = this.#places.at(-1)?.time ?? this.least;
  }
}

function compare(a: MessagePlace, b: MessagePlace): number {
  if (a.time !== b.time) return b.time - a.time;
  if (a.conversationId !== b.conversationId) return a.conversationId < b.conversationId ? 1 : -1;
  return b.seq - a.seq;
}

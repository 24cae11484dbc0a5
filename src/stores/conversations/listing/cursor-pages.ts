/**
 * Cursor pagination over the list of conversations, with a stable order while conversations change.
 *
 * An offset in the live list is not enough: a conversation that changes between two pages moves to the top
 * and would be skipped. So the first page saves the order of the list (the heads are in memory anyway), and
 * a cursor contains the id of the saved list and an index. No conversation is skipped or returned twice, in
 * both directions. Each conversation is returned as it is now. New conversations are not in the list;
 * deleted ones are left out.
 *
 * A saved list is lost after a restart, or after 32 newer lists. The cursor also contains the conversation at
 * the edge of the page and the time of the first page. The list is then built again, and the conversations
 * that changed since come next. So none is skipped, but one that changed may be returned twice.
 */
import { isoTime, LATEST_TIME } from '../../../base/clock.js';
import { AppError } from '../../../base/errors.js';
import { randomHex } from '../../../base/ids.js';
import type { ConversationHead } from '../document/schema.js';
import { fingerprintOf, type ListQuery, predicateOf } from './list-query.js';
import { order } from './newest-first.js';

/** The number of saved lists. Each needs eight bytes per conversation. */
const MAX_LISTS = 32;

export interface PageRequest {
  readonly limit: number;
  /** `nextCursor` or `previousCursor` of an earlier page of the same query. */
  readonly cursor?: string;
  /** How many heads, from the first, fit into the answer. At least one is returned. */
  readonly countFitting?: (heads: readonly ConversationHead[]) => number;
}

export interface ConversationPage {
  readonly conversations: readonly ConversationHead[];
  /** The number of conversations in the whole list, at the time of the first page. */
  readonly total: number;
  /** Whether older conversations follow. */
  readonly hasMore: boolean;
  readonly nextCursor?: string;
  readonly previousCursor?: string;
}

interface List {
  readonly token: string;
  readonly heads: readonly ConversationHead[];
  readonly begunMs: number;
  readonly query: string;
}

interface Cursor {
  readonly direction: 'n' | 'p';
  readonly token: string;
  /** The cursor is before the item with this index. */
  readonly index: number;
  readonly begunMs: number;
  readonly query: string;
  /** The conversation at the edge of the page with this cursor, as it was in the saved list. */
  readonly edge: { readonly updatedAt: string; readonly conversationId: string };
}

/** The source of the pages. */
export interface Listed {
  /** All heads, newest first. The list never changes. */
  readonly heads: readonly ConversationHead[];
  /** Returns the present head; `undefined` if the conversation was deleted. */
  now(conversationId: string): ConversationHead | undefined;
  readonly nowMs: number;
}

export class ListPages {
  readonly #lists = new Map<string, List>();

  /** Returns one page. VALIDATION_ERROR for a cursor of another query, or an invalid one. */
  page(listed: Listed, query: ListQuery, request: PageRequest): ConversationPage {
    const fingerprint = fingerprintOf(query);
    const cursor = request.cursor === undefined ? undefined : parseCursor(request.cursor);
    if (cursor !== undefined && cursor.query !== fingerprint) throw badCursor();
    if (cursor === undefined) return this.#cut(begin(listed, query), 0, 'n', listed, request);
    const list = this.#lists.get(cursor.token);
    if (list === undefined) return this.#resume(cursor, listed, query, request);
    const index = Math.min(cursor.index, list.heads.length);
    return this.#cut(list, index, cursor.direction, listed, request);
  }

  /**
   * Returns the ids of the conversations that a page of a saved list may contain; `undefined` if the request
   * has no cursor, or if its list is not saved. Only these need to be current on disk for `page`.
   */
  candidates({ limit, cursor: text }: PageRequest): string[] | undefined {
    const cursor = text === undefined ? undefined : parseCursor(text);
    const list = cursor && this.#lists.get(cursor.token);
    if (cursor === undefined || list === undefined) return undefined;
    // One more on each side, because the page says whether there are more.
    const [before, after] = cursor.direction === 'n' ? [1, limit + 1] : [limit + 1, 1];
    const part = list.heads.slice(Math.max(0, cursor.index - before), cursor.index + after);
    return part.map(({ conversationId }) => conversationId);
  }

  #resume(
    { direction, edge, begunMs, query: fingerprint }: Cursor,
    listed: Listed,
    query: ListQuery,
    request: PageRequest,
  ): ConversationPage {
    const begun = isoTime(begunMs);
    const matching = listed.heads.filter(predicateOf(query) ?? (() => true));
    const old = matching.filter(({ createdAt }) => createdAt <= begun);
    const changed = old.filter(({ updatedAt }) => updatedAt >= begun);
    const unchanged = old.filter(({ updatedAt }) => updatedAt < begun);
    const isBefore = (head: ConversationHead) =>
      direction === 'n' ? order(head, edge) <= 0 : order(head, edge) < 0;
    const before = unchanged.filter(isBefore);
    const after = unchanged.filter((head) => !isBefore(head));
    const heads =
      direction === 'n' ? [...before, ...changed, ...after] : [...changed, ...before, ...after];
    const index = direction === 'n' ? before.length : changed.length + before.length;
    const list = { token: randomHex(4), heads, begunMs: listed.nowMs, query: fingerprint };
    return this.#cut(list, index, direction, listed, request);
  }

  #cut(
    list: List,
    index: number,
    direction: 'n' | 'p',
    { now }: Listed,
    { limit, countFitting = ({ length }) => length }: PageRequest,
  ): ConversationPage {
    const step = direction === 'n' ? 1 : -1;
    const found: { at: number; head: ConversationHead }[] = [];
    for (let at = direction === 'n' ? index : index - 1; found.length < limit; at += step) {
      const id = list.heads[at]?.conversationId;
      if (id === undefined) break;
      const head = now(id);
      if (head !== undefined) found.push({ at, head });
    }
    const room = countFitting(found.map(({ head }) => head));
    const taken = found.slice(0, Math.max(1, room));
    if (direction === 'p') taken.reverse();
    const start = taken[0]?.at ?? index;
    const end = (taken.at(-1)?.at ?? index - 1) + 1;
    const hasMore = hasAny(list, end, list.heads.length, now);
    const hasPrevious = hasAny(list, 0, start, now);
    if (hasMore || hasPrevious) this.#keep(list);
    return {
      conversations: taken.map(({ head }) => head),
      total: list.heads.length,
      hasMore,
      ...(hasMore ? { nextCursor: cursorOf(list, 'n', end) } : {}),
      ...(hasPrevious ? { previousCursor: cursorOf(list, 'p', start) } : {}),
    };
  }

  /** Saves the list and removes the least recently used one if there are too many. */
  #keep(list: List): void {
    this.#lists.delete(list.token);
    this.#lists.set(list.token, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > MAX_LISTS && oldest !== undefined) this.#lists.delete(oldest);
  }
}

function begin({ heads, nowMs }: Listed, query: ListQuery): List {
  const matches = predicateOf(query);
  return {
    token: randomHex(4),
    heads: matches === undefined ? heads : heads.filter(matches),
    begunMs: nowMs,
    query: fingerprintOf(query),
  };
}

/** Whether a conversation of that part still exists. */
function hasAny(list: List, from: number, to: number, now: Listed['now']): boolean {
  for (let at = from; at < to; at += 1) {
    if (now(list.heads[at]?.conversationId ?? '') !== undefined) return true;
  }
  return false;
}

function cursorOf(list: List, direction: 'n' | 'p', index: number): string {
  const edge = list.heads[direction === 'n' ? index - 1 : index];
  if (edge === undefined) throw new Error('a cursor without an edge');
  const { updatedAt, conversationId } = edge;
  const times = [Date.parse(updatedAt), conversationId, list.begunMs];
  return [direction, list.token, index, ...times, list.query].join('.');
}

const CURSOR =
  /^([np])\.([0-9a-f]{8})\.(\d{1,9})\.(-?\d{1,16})\.(\d{8}-\d{13})\.(\d{1,15})\.([0-9a-f]{8})$/;

function parseCursor(cursor: string): Cursor {
  const [, direction, token = '', index, updatedMs, conversationId = '', begunMs, query = ''] =
    CURSOR.exec(cursor) ?? [];
  const isTime = Math.abs(Number(updatedMs)) <= LATEST_TIME && Number(begunMs) <= LATEST_TIME;
  if (direction === undefined || !isTime) throw badCursor();
  return {
    direction: direction === 'n' ? 'n' : 'p',
    token,
    index: Number(index),
    begunMs: Number(begunMs),
    query,
    edge: { updatedAt: isoTime(Number(updatedMs)), conversationId },
  };
}

function badCursor(): AppError {
  return new AppError('VALIDATION_ERROR', 'This list did not return this cursor.', {
    hint: 'Pass nextCursor or previousCursor unchanged as `cursor`, with the same filters. To start again, omit `cursor`.',
    details: { field: 'cursor' },
  });
}

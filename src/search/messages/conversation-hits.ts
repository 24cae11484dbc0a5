/**
 * Ranks conversations by a search of their messages. Each conversation has the rank of its best message,
 * the number of its matching messages, and the best of them.
 */

import { groupedBy } from '../../base/arrays/grouped-by.js';
import type { Hit, SearchResult } from '../../fts/search-result.js';
import type { DocumentId, SearchOptions } from '../../fts/text-index.js';
import type { MessageIndex } from './message-index.js';

/** Messages that the first pass ranks for each conversation, so that most pages need no second pass. */
const MESSAGES_PER_CONVERSATION = 8;
const GROWTH = 8;

export interface ConversationRanking {
  /** Number of conversations with a match. */
  readonly total: number;
  readonly result: SearchResult;
  /** Best first. */
  readonly page: readonly {
    readonly conversationId: string;
    readonly matchCount: number;
    readonly best: readonly Hit[];
  }[];
}

export interface RankingRequest {
  readonly query: string;
  /** Number of conversations on the page (`limit`) and before it (`offset`). */
  readonly limit: number;
  readonly offset: number;
  readonly perConversation: number;
  readonly options: Omit<SearchOptions, 'limit' | 'offset'>;
}

/** Throws QUERY_SYNTAX (matchType fts5) or CANCELLED. */
export async function rankConversations(
  index: MessageIndex,
  { query, limit, offset, perConversation, options }: RankingRequest,
): Promise<ConversationRanking> {
  const wanted = offset + limit;
  const byConversation = (hits: readonly Hit[]) =>
    groupedBy(hits, ({ id }) => index.conversationOf(id));
  for (let depth = wanted * MESSAGES_PER_CONVERSATION; ; depth *= GROWTH) {
    const tally = new Tally(index, options.filter);
    const counted = { ...options, limit: depth, filter: tally.filter, onBegin: tally.begin };
    const result = await index.text.searchAsync(query, counted);
    const ranked = byConversation(result.hits);
    const isOrderKnown = ranked.size >= Math.min(wanted, tally.size) || depth >= result.total;
    if (!isOrderKnown) continue;
    const ids = [...ranked.keys()].slice(offset, wanted);
    const lacks = (id: string) =>
      (ranked.get(id)?.length ?? 0) < Math.min(perConversation, tally.countOf(id));
    const all = ids.some(lacks)
      ? byConversation(await hitsWithin(index, query, ids, tally, options))
      : ranked;
    const page = ids.map((conversationId) => ({
      conversationId,
      matchCount: tally.countOf(conversationId),
      best: (all.get(conversationId) ?? []).slice(0, perConversation),
    }));
    return { total: tally.size, result, page };
  }
}

/** All matches in these conversations, with the ranks that they have in a search of all conversations. */
async function hitsWithin(
  index: MessageIndex,
  query: string,
  ids: readonly string[],
  tally: Tally,
  options: RankingRequest['options'],
): Promise<readonly Hit[]> {
  const limit = ids.reduce((sum, id) => sum + tally.countOf(id), 0);
  const wanted = new Set(ids);
  const filter = (id: DocumentId) =>
    wanted.has(index.conversationOf(id)) && options.filter?.(id) !== false;
  return (await index.text.searchAsync(query, { ...options, limit, filter })).hits;
}

/** Counts in the filter, because the index calls it once for every match. */
class Tally {
  readonly #index: MessageIndex;
  readonly #allows: SearchOptions['filter'];
  #counts = new Map<string, { count: number }>();
  /** The last conversation is cached, because the messages of one conversation mostly come in sequence. */
  #lastId = '';
  #last = { count: 0 };

  constructor(index: MessageIndex, allows: SearchOptions['filter']) {
    this.#index = index;
    this.#allows = allows;
  }

  /** Number of conversations with a match. */
  get size(): number {
    return this.#counts.size;
  }

  countOf(conversationId: string): number {
    return this.#counts.get(conversationId)?.count ?? 0;
  }

  readonly begin = (): void => {
    this.#counts = new Map();
    this.#lastId = '';
  };

  readonly filter = (id: DocumentId): boolean => {
    if (this.#allows?.(id) === false) return false;
    const conversationId = this.#index.conversationOf(id);
    if (conversationId !== this.#lastId) this.#startConversation(conversationId);
    this.#last.count += 1;
    return true;
  };

  #startConversation(conversationId: string): void {
    this.#lastId = conversationId;
    const known = this.#counts.get(this.#lastId);
    this.#last = known ?? { count: 0 };
    if (known === undefined) this.#counts.set(this.#lastId, this.#last);
  }
}

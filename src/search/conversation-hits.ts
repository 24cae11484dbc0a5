/**
 * A search over messages whose answer is conversations: each once, where its best message stands,
 * with how many of its messages match and the best of them.
 */
import type { MessageIndex } from './message-index.js';
import type { Hit, SearchResult } from './search-result.js';
import type { DocumentId, SearchOptions } from './text-index.js';

/** Messages ranked at first for each conversation asked for; most pages need no second look. */
const MESSAGES_PER_CONVERSATION = 8;
const GROWTH = 8;

export interface ConversationRanking {
  /** Conversations with a match. */
  readonly total: number;
  readonly result: SearchResult;
  /** This page, best first. */
  readonly page: readonly {
    readonly conversationId: string;
    readonly matchCount: number;
    readonly best: readonly Hit[];
  }[];
}

export interface RankingRequest {
  readonly query: string;
  /** Conversations of a page, and conversations before it. */
  readonly limit: number;
  readonly offset: number;
  readonly perConversation: number;
  readonly options: Omit<SearchOptions, 'limit' | 'offset'>;
}

/** QUERY_SYNTAX (matchType fts5), CANCELLED. */
export async function rankConversations(
  index: MessageIndex,
  { query, limit, offset, perConversation, options }: RankingRequest,
): Promise<ConversationRanking> {
  const wanted = offset + limit;
  for (let depth = wanted * MESSAGES_PER_CONVERSATION; ; depth *= GROWTH) {
    const tally = new Tally(index, options.filter);
    const counted = { ...options, limit: depth, filter: tally.filter, onBegin: tally.begin };
    const result = await index.text.searchAsync(query, counted);
    const ranked = grouped(index, result.hits);
    const isOrderKnown = ranked.size >= Math.min(wanted, tally.size) || depth >= result.total;
    if (!isOrderKnown) continue;
    const ids = [...ranked.keys()].slice(offset, wanted);
    const lacks = (id: string) =>
      (ranked.get(id)?.length ?? 0) < Math.min(perConversation, tally.of(id));
    const all = ids.some(lacks)
      ? grouped(index, await hitsWithin(index, query, ids, tally, options))
      : ranked;
    const page = ids.map((conversationId) => ({
      conversationId,
      matchCount: tally.of(conversationId),
      best: (all.get(conversationId) ?? []).slice(0, perConversation),
    }));
    return { total: tally.size, result, page };
  }
}

/** Every match of these conversations; the ranks are those of a search over all. */
async function hitsWithin(
  index: MessageIndex,
  query: string,
  ids: readonly string[],
  tally: Tally,
  options: RankingRequest['options'],
): Promise<readonly Hit[]> {
  const limit = ids.reduce((sum, id) => sum + tally.of(id), 0);
  const wanted = new Set(ids);
  const filter = (id: DocumentId) =>
    wanted.has(index.conversationOf(id)) && options.filter?.(id) !== false;
  return (await index.text.searchAsync(query, { ...options, limit, filter })).hits;
}

/** Counts matches by conversation: the index asks the filter once about every one of them. */
class Tally {
  readonly #index: MessageIndex;
  readonly #allows: SearchOptions['filter'];
  #counts = new Map<string, { count: number }>();
  /** Messages of one conversation mostly come one after another. */
  #lastId = '';
  #last = { count: 0 };

  constructor(index: MessageIndex, allows: SearchOptions['filter']) {
    this.#index = index;
    this.#allows = allows;
  }

  /** Conversations counted. */
  get size(): number {
    return this.#counts.size;
  }

  of(conversationId: string): number {
    return this.#counts.get(conversationId)?.count ?? 0;
  }

  readonly begin = (): void => {
    this.#counts = new Map();
    this.#lastId = '';
  };

  readonly filter = (id: DocumentId): boolean => {
    if (this.#allows?.(id) === false) return false;
    const conversationId = this.#index.conversationOf(id);
    if (conversationId !== this.#lastId) this.#turnTo(conversationId);
    this.#last.count += 1;
    return true;
  };

  #turnTo(conversationId: string): void {
    this.#lastId = conversationId;
    const known = this.#counts.get(this.#lastId);
    this.#last = known ?? { count: 0 };
    if (known === undefined) this.#counts.set(this.#lastId, this.#last);
  }
}

/** By conversation, in the order of its best hit. */
function grouped(index: MessageIndex, hits: readonly Hit[]): Map<string, Hit[]> {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const conversationId = index.conversationOf(hit.id);
    const group = groups.get(conversationId);
    if (group === undefined) groups.set(conversationId, [hit]);
    else group.push(hit);
  }
  return groups;
}

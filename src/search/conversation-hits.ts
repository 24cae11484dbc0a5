/**
 * A search over messages whose answer is conversations: each once, where its best message stands,
 * with how many of its messages match and the best of them.
 */
import { type MessageIndex, parseDocumentId } from './message-index.js';
import type { Hit, SearchResult } from './search-result.js';
import type { DocumentId, SearchOptions } from './text-index.js';

/** Messages ranked at first for each conversation asked for; most pages need no second look. */
const MESSAGES_PER_CONVERSATION = 16;
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
    const counts = new Map<string, number>();
    const filter = counting(counts, options.filter);
    const result = await index.text.searchAsync(query, { ...options, limit: depth, filter });
    const ranked = grouped(result.hits);
    const page = [...ranked].slice(offset, wanted).map(([conversationId, hits]) => ({
      conversationId,
      matchCount: counts.get(conversationId) ?? 0,
      best: hits.slice(0, perConversation),
    }));
    const isComplete =
      ranked.size >= Math.min(wanted, counts.size) &&
      page.every(({ best, matchCount }) => best.length >= Math.min(perConversation, matchCount));
    if (isComplete || depth >= result.total) return { total: counts.size, result, page };
  }
}

/** The index asks the filter about every match, which is where they can be counted. */
function counting(counts: Map<string, number>, filter: SearchOptions['filter']) {
  const seen = new Set<DocumentId>(); // a search that starts again asks again
  return (id: DocumentId) => {
    if (filter?.(id) === false) return false;
    if (seen.has(id)) return true;
    seen.add(id);
    const { conversationId } = parseDocumentId(id);
    counts.set(conversationId, (counts.get(conversationId) ?? 0) + 1);
    return true;
  };
}

/** By conversation, in the order of its best hit. */
function grouped(hits: readonly Hit[]): Map<string, Hit[]> {
  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const { conversationId } = parseDocumentId(hit.id);
    const group = groups.get(conversationId);
    if (group === undefined) groups.set(conversationId, [hit]);
    else group.push(hit);
  }
  return groups;
}

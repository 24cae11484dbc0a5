/**
 * Searches insights. Each context has its own text index, which follows the store, so that words, near
 * spellings, ranks and totals of an answer come from its context alone.
 */

import type { SearchResult } from '../fts/search-result.js';
import type { SnippetOptions } from '../fts/snippets/snippet.js';
import { createTextIndex, type DocumentId, type TextIndex } from '../fts/text-index.js';
import type { Insight, InsightSelection, InsightStore } from '../stores/insights/insights.js';
import type { MessageQuery } from './messages/keyword-search.js';
import { repeatUntilCurrent } from './repeat-until-current.js';

const COLUMNS = ['content', 'metadata'];
export type InsightQuery = InsightSelection & Omit<MessageQuery, 'filters'>;

export interface InsightHit {
  readonly insight: Insight;
  readonly snippet: string;
  readonly rank: number;
}

export interface InsightResults {
  readonly total: number;
  readonly hits: readonly InsightHit[];
  readonly relaxed: boolean;
  /** If nothing matches: the words that no insight of the context contains. */
  readonly unknownWords: readonly string[];
  /** If nothing matches: the number of matches without the tags, and with expired insights. */
  readonly otherwise: { readonly tags?: number; readonly includeExpired?: number };
  /** Number of insights in the context. */
  readonly inContext: number;
}

export class InsightSearch {
  readonly #store: InsightStore;
  readonly #indexes = new Map<string, TextIndex>();
  readonly #contexts = new Map<string, string>();

  /** Must be created before the store first reads its folder, because it follows the store's changes. */
  constructor(store: InsightStore) {
    this.#store = store;
    store.follow(({ id, insight }) => {
      this.#drop(id, insight?.context);
      if (insight !== undefined) this.#put(insight);
    });
  }

  /** Throws QUERY_SYNTAX (matchType fts5), CANCELLED or FILESYSTEM_ERROR. */
  async search(request: InsightQuery, signal?: AbortSignal): Promise<InsightResults> {
    await this.#store.current();
    const { isCurrent: _, ...found } = await repeatUntilCurrent(async () => {
      const all = await this.#runAll(request, signal);
      const ids = all.hits.map(({ insight }) => insight.id);
      return { ...all, isCurrent: await this.#store.isUnchanged(ids) };
    });
    const sizes = contextsOf(request).map((context) => this.#indexes.get(context)?.size ?? 0);
    return {
      ...found,
      otherwise: found.total === 0 ? await this.#otherwise(request, signal) : {},
      inContext: sizes.reduce((sum, size) => sum + size, 0),
    };
  }

  /** Searches all contexts of the request. Matches of all words exclude relaxed ones. */
  async #runAll(request: InsightQuery, signal: AbortSignal | undefined) {
    const { limit, offset, snippet } = request;
    const contexts = contextsOf(request);
    const isOne = contexts.length === 1;
    const page = isOne ? { limit, offset } : { limit: offset + limit, offset: 0 };
    const all: SearchResult[] = [];
    for (const context of contexts)
      all.push(await this.#run({ ...request, ...page, context }, signal));
    const isStrict = all.some(({ total, relaxed }) => total > 0 && !relaxed);
    const results = isStrict ? all.filter(({ relaxed }) => !relaxed) : all;
    const hits = results
      .flatMap((result) => this.#hitsOf(result, snippet))
      .sort((a, b) => a.rank - b.rank);
    const [first = [], ...others] = all.map(({ unknownWords }) => unknownWords);
    return {
      total: results.reduce((sum, { total }) => sum + total, 0),
      hits: isOne ? hits : hits.slice(offset, offset + limit),
      relaxed: results.some(({ relaxed }) => relaxed),
      unknownWords: first.filter((word) => others.every((words) => words.includes(word))),
    };
  }

  /** A context without an index is searched as an empty index. */
  #run(request: InsightQuery, signal: AbortSignal | undefined): Promise<SearchResult> {
    const { query, matchType, limit, offset } = request;
    const index = this.#indexes.get(request.context) ?? emptyIndex();
    const filter = (id: DocumentId) => {
      const insight = this.#store.known(String(id));
      return insight !== undefined && this.#store.isSelected(insight, request);
    };
    return index.searchAsync(query, {
      matchType,
      limit,
      offset,
      filter,
      ...(signal && { signal }),
    });
  }

  #hitsOf(result: SearchResult, options: SnippetOptions = {}): InsightHit[] {
    return result.hits.flatMap(({ id, rank }) => {
      const insight = this.#store.known(String(id));
      if (insight === undefined) return [];
      return [{ insight, snippet: result.snippet(id, textsOf(insight), options), rank }];
    });
  }

  async #otherwise(
    request: InsightQuery,
    signal: AbortSignal | undefined,
  ): Promise<InsightResults['otherwise']> {
    const { tags, ...untagged } = request;
    const count = async (other: InsightQuery) => (await this.#runAll(other, signal)).total;
    return {
      ...(tags !== undefined && { tags: await count(untagged) }),
      ...(!request.includeExpired && {
        includeExpired: await count({ ...request, includeExpired: true }),
      }),
    };
  }

  #put(insight: Insight): void {
    const { id, context } = insight;
    const index = this.#indexes.get(context) ?? emptyIndex();
    this.#indexes.set(context, index);
    this.#contexts.set(id, context);
    index.put(id, textsOf(insight), insight.created_at);
  }

  /** Removes an insight from the index of its context, unless that context is `except`. */
  #drop(id: string, except: string | undefined): void {
    const context = this.#contexts.get(id);
    if (context === undefined || context === except) return;
    this.#contexts.delete(id);
    const index = this.#indexes.get(context);
    index?.delete(id);
    if (index?.size === 0) this.#indexes.delete(context);
  }
}

const contextsOf = ({ context, alsoIn = [] }: InsightQuery) => [context, ...alsoIn];

const emptyIndex = () => createTextIndex({ columns: COLUMNS });

function textsOf({ content, tags = [], metadata = {} }: Insight) {
  return { content, metadata: [...tags, ...keysAndValuesIn(metadata)].join('\n') };
}

/**
 * The keys and values of JSON, in their order, without its punctuation and escapes, which would join separate
 * words. It is not recursive, because metadata may be nested deeply.
 */
function keysAndValuesIn(value: unknown): string[] {
  const texts: string[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'object' && next !== null) {
      const parts = Array.isArray(next) ? next : Object.entries(next).flat();
      for (const part of parts.toReversed()) waiting.push(part);
    } else if (next !== null && next !== undefined) texts.push(String(next));
  }
  return texts;
}

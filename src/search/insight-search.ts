/**
 * Searching insights: one text index a context, kept current by following the store. That nothing
 * crosses contexts is so by construction: the words, ranks, near spellings and totals that an answer
 * tells of are those of its own context.
 */
import type { Insight, InsightSelection, InsightStore } from '../stores/insights.js';
import type { MatchType } from './search-modes.js';
import type { SearchResult } from './search-result.js';
import type { SnippetOptions } from './snippet.js';
import { createTextIndex, type DocumentId, type TextIndex } from './text-index.js';

const COLUMNS = ['content', 'metadata'];
/** A hit that changed on disk a moment ago changes the answer; so often it is asked again. */
const MAX_TRIES = 3;

export interface InsightQuery extends InsightSelection {
  readonly query: string;
  readonly matchType: MatchType;
  readonly limit: number;
  readonly offset: number;
  readonly snippet?: SnippetOptions;
}

export interface InsightHit {
  readonly insight: Insight;
  readonly snippet: string;
  readonly rank: number;
}

export interface InsightResults {
  readonly total: number;
  readonly hits: readonly InsightHit[];
  readonly relaxed: boolean;
  /** With no match: words that no insight of the context has. */
  readonly unknownWords: readonly string[];
  /** With no match: how many there would be without tags, and with expired ones. */
  readonly otherwise: { readonly tags?: number; readonly includeExpired?: number };
  /** Insights of the context, whether they match or not. */
  readonly inContext: number;
}

export class InsightSearch {
  readonly #store: InsightStore;
  readonly #indexes = new Map<string, TextIndex>();
  readonly #contexts = new Map<string, string>();

  /** To be made before the store first looks at its folder. */
  constructor(store: InsightStore) {
    this.#store = store;
    store.follow(({ id, insight }) => {
      this.#drop(id, insight?.context);
      if (insight !== undefined) this.#put(insight);
    });
  }

  /** QUERY_SYNTAX (matchType fts5), CANCELLED, FILESYSTEM_ERROR. */
  async search(request: InsightQuery, signal?: AbortSignal): Promise<InsightResults> {
    await this.#store.current();
    for (let tries = 1; ; tries += 1) {
      const result = await this.#run(request, signal);
      const hits = this.#hitsOf(result, request.snippet);
      const ids = hits.map(({ insight }) => insight.id);
      if (!(await this.#store.isUnchanged(ids)) && tries < MAX_TRIES) continue;
      const { total, relaxed, unknownWords } = result;
      return {
        ...{ total, hits, relaxed, unknownWords },
        otherwise: total === 0 ? await this.#otherwise(request, signal) : {},
        inContext: this.#indexes.get(request.context)?.size ?? 0,
      };
    }
  }

  /** Every index is empty or of one context, so a context without one is searched as an empty one. */
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
    const count = async (other: InsightQuery) => (await this.#run(other, signal)).total;
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

  /** Out of the index of the context that it was in, unless it is that one. */
  #drop(id: string, except: string | undefined): void {
    const context = this.#contexts.get(id);
    if (context === undefined || context === except) return;
    this.#contexts.delete(id);
    const index = this.#indexes.get(context);
    index?.delete(id);
    if (index?.size === 0) this.#indexes.delete(context);
  }
}

const emptyIndex = () => createTextIndex({ columns: COLUMNS });

function textsOf({ content, tags = [], metadata = {} }: Insight) {
  return { content, metadata: [...tags, ...textsIn(metadata)].join('\n') };
}

/** Keys and values: the punctuation and escapes of JSON would join words that do not belong together. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) {
    if (value !== null && value !== undefined) yield String(value);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) yield key;
    yield* textsIn(inner);
  }
}

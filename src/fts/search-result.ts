/**
 * The hits of a search and their snippets. The index has the positions of the matches; the caller passes the
 * text that a snippet is cut from.
 */
import type { PhraseInstance, SegmentQuery } from './matching/segment-query.js';
import type { QueryResult } from './ranking/execute-query.js';
import type { DocumentId } from './segments/segment.js';
import type { SegmentStore } from './segments/segment-store.js';
import { cutCjkSnippet, highlightCjk } from './snippets/cjk-snippet.js';
import type { Marks } from './snippets/highlight.js';
import {
  type ColumnText,
  cutSnippet,
  highlightText,
  type SnippetOptions,
} from './snippets/snippet.js';

export interface Hit {
  readonly id: DocumentId;
  /** The value of FTS5's bm25(): smaller is better. */
  readonly rank: number;
}

export class SearchResult {
  /** All matches, whatever the limit. */
  readonly total: number;
  readonly hits: readonly Hit[];
  /** True if no document has all of the words, and the hits have some of them. */
  readonly relaxed: boolean;
  /** If there are no hits: the words of the query that no document contains. */
  readonly unknownWords: readonly string[];
  readonly #queries: readonly SegmentQuery[];
  readonly #store: SegmentStore;
  readonly #names: readonly string[];

  constructor(
    result: QueryResult,
    store: SegmentStore,
    names: readonly string[],
    relaxed: boolean,
    unknownWords: readonly string[],
  ) {
    this.total = result.total;
    this.hits = result.page.map(({ segment, slot, score }) => ({
      id: segment.ids[slot] ?? 0,
      rank: -1 * score,
    }));
    this.relaxed = relaxed;
    this.unknownWords = unknownWords;
    this.#queries = result.queries;
    this.#store = store;
    this.#names = names;
  }

  /** FTS5's snippet() of one column, or of the best of the columns whose texts are given. */
  snippet(
    id: DocumentId,
    texts: Readonly<Record<string, string | undefined>>,
    options: SnippetOptions = {},
  ): string {
    const sources = this.#textColumns(texts);
    const instances = this.#instances(id, sources);
    const cjk = instances.length === 0 && cutCjkSnippet(sources, this.#cjkRuns, options);
    return cjk || cutSnippet(sources, instances, options);
  }

  /** FTS5's highlight(): the whole text of a column with its matches marked. */
  highlight(id: DocumentId, column: string, text: string, marks: Marks = {}): string {
    const sources = this.#textColumns({ [column]: text });
    const [own] = sources;
    if (own === undefined) return text;
    const instances = this.#instances(id, sources);
    return instances.length === 0
      ? highlightCjk(text, this.#cjkRuns, marks)
      : highlightText(own, instances, marks);
  }

  get #cjkRuns(): readonly string[] {
    return this.#queries[0]?.cjkRuns ?? [];
  }

  #textColumns(texts: Readonly<Record<string, string | undefined>>): ColumnText[] {
    return this.#names.flatMap((name, column) => {
      const text = texts[name];
      return text === undefined ? [] : [{ column, text }];
    });
  }

  /** The instances in the columns given. */
  #instances(id: DocumentId, sources: readonly ColumnText[]): readonly PhraseInstance[] {
    const location = this.#store.locationOf(id);
    if (location === undefined) return [];
    const known = this.#queries.find(({ segment }) => segment === location.segment);
    const query = known ?? this.#queries[0]?.forSegment(location.segment);
    const all = query?.instances(location.slot) ?? [];
    return all.filter(({ column }) => sources.some((source) => source.column === column));
  }
}

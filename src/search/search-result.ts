/**
 * What a search found, and the snippets of it: the instances come from the index, the words from
 * the text that the caller passes.
 */
import { cutRunSnippet, highlightRuns } from './run-snippet.js';
import type { RunResult } from './search-run.js';
import type { DocumentId } from './segment.js';
import type { Instance, SegmentQuery } from './segment-query.js';
import type { SegmentStore } from './segment-store.js';
import {
  type ColumnText,
  cutSnippet,
  highlightText,
  type Marks,
  type SnippetOptions,
} from './snippet.js';

export interface Hit {
  readonly id: DocumentId;
  /** As FTS5's bm25(): smaller is better. */
  readonly rank: number;
}

export class SearchResult {
  /** All matches, whatever the limit. */
  readonly total: number;
  readonly hits: readonly Hit[];
  /** True when no document had all of the words, and these have some. */
  readonly relaxed: boolean;
  /** With no hits: the words of the query that no document has. */
  readonly unknownWords: readonly string[];
  readonly #queries: readonly SegmentQuery[];
  readonly #store: SegmentStore;
  readonly #names: readonly string[];

  constructor(
    run: RunResult,
    store: SegmentStore,
    names: readonly string[],
    relaxed: boolean,
    unknownWords: readonly string[],
  ) {
    this.total = run.total;
    this.hits = run.best.map(({ item, score }) => ({ id: item, rank: -1 * score }));
    this.relaxed = relaxed;
    this.unknownWords = unknownWords;
    this.#queries = run.queries;
    this.#store = store;
    this.#names = names;
  }

  /** FTS5's snippet() of one column, or of the best of those whose texts are given. */
  snippet(
    id: DocumentId,
    texts: Readonly<Record<string, string | undefined>>,
    options: SnippetOptions = {},
  ): string {
    const sources = this.#textColumns(texts);
    const instances = this.#instances(id, sources);
    const byRuns = instances.length === 0 && cutRunSnippet(sources, this.#runs, options);
    return byRuns || cutSnippet(sources, instances, options);
  }

  /** FTS5's highlight(): the whole text of a column with its matches marked. */
  highlight(id: DocumentId, column: string, text: string, marks: Marks = {}): string {
    const sources = this.#textColumns({ [column]: text });
    const [own] = sources;
    if (own === undefined) return text;
    const instances = this.#instances(id, sources);
    return instances.length === 0
      ? highlightRuns(text, this.#runs, marks)
      : highlightText(own, instances, marks);
  }

  get #runs(): readonly string[] {
    return this.#queries[0]?.runs ?? [];
  }

  #textColumns(texts: Readonly<Record<string, string | undefined>>): ColumnText[] {
    const columns: ColumnText[] = [];
    for (let column = 0; column < this.#names.length; column++) {
      const text = texts[this.#names[column] ?? ''];
      if (text !== undefined) columns.push({ column, text });
    }
    return columns;
  }

  /** Those in the columns given. */
  #instances(id: DocumentId, sources: readonly ColumnText[]): readonly Instance[] {
    const place = this.#store.placeOf(id);
    if (place === undefined) return [];
    const [first] = this.#queries;
    const known = this.#queries.find(({ segment }) => segment === place.segment);
    const query = known ?? first?.forSegment(place.segment);
    const all = query?.instances(place.slot) ?? [];
    return all.filter(({ column }) => sources.some((source) => source.column === column));
  }
}

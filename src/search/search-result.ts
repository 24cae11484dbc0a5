/**
 * What a search found, and the snippets of it: the instances come from the index, the words from
 * the text that the caller passes.
 */
import type { RunResult } from './search-run.js';
import type { DocumentId } from './segment.js';
import type { Instance, SegmentQuery } from './segment-query.js';
import type { SegmentStore } from './segment-store.js';
import { cutSnippet, highlightText, type Marks, type SnippetOptions } from './snippet.js';

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
    const instances = this.#instances(id);
    return cutSnippet(this.#textColumns(texts), instances, options);
  }

  /** FTS5's highlight(): the whole text of a column with its matches marked. */
  highlight(id: DocumentId, column: string, text: string, marks: Marks = {}): string {
    const [own] = this.#textColumns({ [column]: text });
    return own === undefined ? text : highlightText(own, this.#instances(id), marks);
  }

  #textColumns(texts: Readonly<Record<string, string | undefined>>) {
    return this.#names.flatMap((name, column) => {
      const text = texts[name];
      return text === undefined ? [] : [{ column, text }];
    });
  }

  #instances(id: DocumentId): readonly Instance[] {
    const place = this.#store.placeOf(id);
    if (place === undefined) return [];
    const [first] = this.#queries;
    const known = this.#queries.find(({ segment }) => segment === place.segment);
    const query = known ?? first?.forSegment(place.segment);
    return query?.instances(place.slot) ?? [];
  }
}

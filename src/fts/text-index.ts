/**
 * A full-text index of documents with named columns that gives the same answers as SQLite's FTS5: the same
 * matching documents, and the value of bm25() as `rank`. If no document has all plain words, it searches
 * for any of them (`relaxed`). It is the public API of the engine and needs no other component. It does not
 * store the texts: the caller passes the text that a snippet is cut from.
 */

import { runToCompletion, TimeSlice } from '../base/async/time-slice.js';
import { AppError } from '../base/errors.js';
import { throwIfCancelled } from './cancellation.js';
import type { QueryColumns } from './query/fts5-parser.js';
import type { MatchType } from './query/match-type-names.js';
import { parseQuery, usesOperators } from './query/parse-query.js';
import { childrenOf, phrasesOf, type QueryNode } from './query/tree.js';
import { executeQuery } from './ranking/execute-query.js';
import { SearchResult } from './search-result.js';
import { encodeIndex, IndexDecoder } from './segments/index-codec.js';
import type { DocumentId, Layout } from './segments/segment.js';
import { SegmentStore } from './segments/segment-store.js';
import type { Dictionary } from './terms/dictionary.js';

export type { DocumentId } from './segments/segment.js';

export interface TextIndexOptions {
  readonly columns: readonly string[];
  /** Columns that words without a column filter search and that the rank counts; all unless given. */
  readonly defaultColumns?: readonly string[];
  /** False: CJK bigrams and words with symbols, which `fts5` does not need, are not indexed. Faster to build. */
  readonly extended?: boolean;
  /** Documents at which the live segment is packed. The default suits every size. */
  readonly liveDocuments?: number;
}

export interface SearchOptions {
  /** Number of hits to return, 20 unless given. */
  readonly limit?: number;
  readonly offset?: number;
  /** `fts5` unless given. */
  readonly matchType?: MatchType;
  /** Called for every match. Documents for which it is false do not count in `total`. */
  readonly filter?: (id: DocumentId) => boolean;
  /** Called before each pass over the index. The search starts again if the index changes during it. */
  readonly onBegin?: () => void;
  readonly signal?: AbortSignal;
}

export interface TextIndexStats {
  readonly documents: number;
  readonly tokens: number;
  readonly terms: number;
  readonly segments: number;
}

/** A mask of columns has 31 bits, one of them for the hidden column of CJK bigrams. */
const MAX_COLUMNS = 30;
/** If the index changes this many times during a search, the search continues without pauses. */
const MAX_RESTARTS = 3;

export class TextIndex {
  readonly #names: readonly string[];
  readonly #columns: QueryColumns;
  readonly #store: SegmentStore;

  constructor(options: TextIndexOptions) {
    const { columns, defaultColumns = columns, extended = true, liveDocuments } = options;
    const unknown = defaultColumns.filter((name) => !columns.includes(name));
    if (columns.length === 0 || columns.length > MAX_COLUMNS || unknown.length > 0)
      throw new AppError(
        'VALIDATION_ERROR',
        `An index needs 1 to ${MAX_COLUMNS} columns. Each default column must be one of them.`,
      );
    const defaults = columns.reduce(
      (mask, name, i) => (defaultColumns.includes(name) ? mask | (1 << i) : mask),
      0,
    );
    this.#names = columns;
    this.#columns = { names: columns, defaults };
    const layout: Layout = { count: columns.length + 1, defaults };
    this.#store = new SegmentStore(layout, extended ? defaults : 0, liveDocuments);
  }

  /** Number of documents. */
  get size(): number {
    return this.#store.documentCount;
  }

  /** Changes with every change of the index. */
  get version(): number {
    return this.#store.version;
  }

  has(id: DocumentId): boolean {
    return this.#store.has(id);
  }

  /**
   * Adds or replaces a document. Among equal ranks the greater `order` comes first, then the greater id.
   * Without `order`, the document that was put last comes first.
   */
  put(id: DocumentId, fields: Readonly<Record<string, string | undefined>>, order?: number): void {
    const texts = this.#names.map((name) => fields[name] ?? '');
    this.#store.delete(id);
    this.#store.add(id, order ?? this.#store.lastOrder + 1, texts);
  }

  /** False if there is no such document. */
  delete(id: DocumentId): boolean {
    return this.#store.delete(id);
  }

  /** Packs the documents that were put since the last time. A growing index does this by itself. */
  freeze(): void {
    this.#store.freeze();
  }

  /** The lowest whole number from `from` on that is not the id of a document. */
  firstFree(from: number): number {
    return this.#store.firstFree(from);
  }

  /** The whole index as buffers for a cache, one function per buffer: see encodeIndex. */
  encode(idInCache?: (id: DocumentId) => DocumentId): (() => Buffer)[] {
    return encodeIndex(this.#store, idInCache);
  }

  /** See Dictionary.prepare. */
  prepare(): boolean {
    return this.#store.dictionary.prepare();
  }

  /** Decodes the buffers of `encode`. `documents` is their number, if known, and reserves room. */
  decoder(documents = 0): IndexDecoder {
    this.#store.reserve(documents);
    return new IndexDecoder(this.#store);
  }

  /** Searches without pauses. Throws `QUERY_SYNTAX` with `details.position`, `CANCELLED`. */
  search(query: string, options: SearchOptions = {}): SearchResult {
    return runToCompletion(this.#steps(query, options));
  }

  /** Like `search`, but yields to the event loop every few milliseconds and can be cancelled by `signal`. */
  async searchAsync(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    for (let restarts = 0; restarts < MAX_RESTARTS; restarts++) {
      const steps = this.#steps(query, options);
      const { version } = this.#store;
      const slice = new TimeSlice();
      while (version === this.#store.version) {
        const step = steps.next();
        if (step.done) return step.value;
        if (slice.isSpent()) await slice.yield();
        throwIfCancelled(options.signal);
      }
    }
    return this.search(query, options);
  }

  /** Whether the query has operators, quotes or column filters: then it is more than plain words. */
  usesOperators(query: string): boolean {
    return usesOperators(query, this.#columns);
  }

  stats(): TextIndexStats {
    const { documentCount, tokenCount, dictionary, segments } = this.#store;
    return {
      documents: documentCount,
      tokens: tokenCount,
      terms: dictionary.size,
      segments: segments.length,
    };
  }

  *#steps(query: string, options: SearchOptions): Generator<void, SearchResult> {
    const { limit = 20, offset = 0, matchType = 'fts5', filter, onBegin, signal } = options;
    throwIfCancelled(signal);
    const { dictionary } = this.#store;
    const context = { columns: this.#columns, bigramColumn: 1 << this.#names.length, dictionary };
    const { root, relaxed } = parseQuery(query, matchType, context);
    let last = root;
    onBegin?.();
    let result = yield* executeQuery(root, this.#store, { limit, offset, filter });
    if (result.total === 0 && relaxed !== undefined) {
      last = relaxed;
      onBegin?.();
      result = yield* executeQuery(relaxed, this.#store, { limit, offset, filter });
    }
    const isRelaxed = last === relaxed && result.total > 0;
    const unknown = result.total > 0 ? [] : unknownWords(last, dictionary);
    return new SearchResult(result, this.#store, this.#names, isRelaxed, unknown);
  }
}

function unknownWords(root: QueryNode, dictionary: Dictionary): string[] {
  const notExcluded = (node: QueryNode) => (node.kind === 'not' ? [node.left] : childrenOf(node));
  const terms = phrasesOf(root, notExcluded).flatMap((phrase) => phrase.terms);
  const unknown = terms.filter(({ term, prefix }) =>
    prefix ? dictionary.startingWith(term).length === 0 : dictionary.find(term) === undefined,
  );
  return [...new Set(unknown.map(({ term }) => term))];
}

/** Creates an empty index. `VALIDATION_ERROR` for too many columns or unknown default columns. */
export function createTextIndex(options: TextIndexOptions): TextIndex {
  return new TextIndex(options);
}

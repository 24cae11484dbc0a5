/**
 * A full-text index over documents of named columns that gives SQLite FTS5's answers: the matching
 * documents of the same table and query, and its bm25() as `rank`. Useful alone; stores and tools
 * use this same thing. It keeps no texts: a snippet is cut from the text the caller passes.
 */
import { systemClock } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import { DocumentReader } from './document-reader.js';
import { encodeIndex, IndexDecoder } from './index-codec.js';
import { type MatchContext, planMatch } from './match-type.js';
import type { QueryColumns } from './query.js';
import { phrasesOf, type QueryNode } from './query-tree.js';
import type { MatchType } from './search-modes.js';
import { SearchResult } from './search-result.js';
import { type RunResult, runQuery, throwIfCancelled } from './search-run.js';
import type { DocumentId, Layout } from './segment.js';
import { finished } from './segment-query.js';
import { SegmentStore } from './segment-store.js';

export type { DocumentId } from './segment.js';

export interface TextIndexOptions {
  readonly columns: readonly string[];
  /** Columns that bare words search and that count for lengths and the rank; all, unless given. */
  readonly defaultColumns?: readonly string[];
  /** False leaves out what only the other match types need: CJK by pairs, words with symbols. Faster to build. */
  readonly extended?: boolean;
  /** Documents at which the live segment is packed. For tests; the default suits every size. */
  readonly liveDocuments?: number;
}

export interface SearchOptions {
  /** Hits returned, 20 unless given. */
  readonly limit?: number;
  readonly offset?: number;
  /** `fts5` unless given. */
  readonly matchType?: MatchType;
  /** Documents that may match; asked of every match, before totals and limits. */
  readonly filter?: (id: DocumentId) => boolean;
  /** Called before each pass over the index: one that the index changed under begins again. */
  readonly onBegin?: () => void;
  readonly signal?: AbortSignal;
}

export interface TextIndexStats {
  readonly documents: number;
  readonly tokens: number;
  readonly terms: number;
  readonly segments: number;
  readonly frozenBytes: number;
}

/** One bit a column in a mask of 31, one of them for the pairs of CJK characters. */
const MAX_COLUMNS = 30;
/** How long a search keeps the process to itself before it lets others run; one step of it is shorter. */
const SLICE_MS = 4;
/** An index that changes during a search is searched again this often before it is not let in. */
const MAX_RESTARTS = 3;

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export class TextIndex {
  readonly #names: readonly string[];
  readonly #columns: QueryColumns;
  readonly #store: SegmentStore;
  readonly #reader: DocumentReader;
  #lastOrder = 0;

  constructor(options: TextIndexOptions) {
    const { columns, defaultColumns = columns, extended = true, liveDocuments } = options;
    const unknown = defaultColumns.filter((name) => !columns.includes(name));
    if (columns.length === 0 || columns.length > MAX_COLUMNS || unknown.length > 0)
      throw new AppError('VALIDATION_ERROR', `An index takes 1 to ${MAX_COLUMNS} columns`);
    const defaults = columns.reduce(
      (mask, name, i) => (defaultColumns.includes(name) ? mask | (1 << i) : mask),
      0,
    );
    this.#names = columns;
    this.#columns = { names: columns, defaults };
    const layout: Layout = { count: columns.length + 1, defaults };
    this.#store = new SegmentStore(layout, liveDocuments);
    this.#reader = new DocumentReader(this.#store.dictionary, extended ? defaults : 0);
  }

  /** Documents held. */
  get size(): number {
    return this.#store.rows;
  }

  has(id: DocumentId): boolean {
    return this.#store.has(id);
  }

  /** Adds a document or replaces it. Among equal ranks the greater `order` goes first; the latest put, unless given. */
  put(id: DocumentId, fields: Readonly<Record<string, string | undefined>>, order?: number): void {
    const own = order ?? this.#lastOrder + 1;
    this.#lastOrder = Math.max(this.#lastOrder, own);
    const texts = this.#names.map((name) => fields[name] ?? '');
    this.#store.delete(id);
    this.#store.add(id, own, this.#reader.read(texts));
  }

  /** False if there is no such document. */
  delete(id: DocumentId): boolean {
    return this.#store.delete(id);
  }

  /** Packs what was put since the last time; happens by itself as the index grows. */
  freeze(): void {
    this.#store.freeze();
  }

  /** The least whole number from `from` on that is no document. */
  firstFree(from: number): number {
    return this.#store.firstFree(from);
  }

  /** Everything held, as buffers for a cache, each made when its function is called: see encodeIndex. */
  encode(idInCache?: (id: DocumentId) => DocumentId): (() => Buffer)[] {
    return encodeIndex(this.#store, idInCache);
  }

  /** See Dictionary.prepare. */
  prepare(): boolean {
    return this.#store.dictionary.prepare();
  }

  /** Takes the buffers of `encode` back: of so many documents, which makes room for as many numbers. */
  decoder(documents = 0): IndexDecoder {
    this.#store.reserve(documents);
    return new IndexDecoder(this.#store, (order) => {
      this.#lastOrder = Math.max(this.#lastOrder, order);
    });
  }

  /** Searches at once. Throws `QUERY_SYNTAX` with `details.position`, `CANCELLED`. */
  search(query: string, options: SearchOptions = {}): SearchResult {
    const plan = this.#plan(query, options);
    const first = this.#finish(plan.root, options);
    if (first.total > 0 || plan.relaxed === undefined) return this.#result(first, plan.root, false);
    const second = this.#finish(plan.relaxed, options);
    return this.#result(second, plan.relaxed, second.total > 0);
  }

  /** The same, letting other work run every few milliseconds; what `signal` can interrupt. */
  async searchAsync(query: string, options: SearchOptions = {}): Promise<SearchResult> {
    const plan = this.#plan(query, options);
    const first = await this.#finishInSlices(plan.root, options);
    if (first.total > 0 || plan.relaxed === undefined) return this.#result(first, plan.root, false);
    const second = await this.#finishInSlices(plan.relaxed, options);
    return this.#result(second, plan.relaxed, second.total > 0);
  }

  stats(): TextIndexStats {
    const { rows, tokens, dictionary, segments, frozenSegments } = this.#store;
    return {
      documents: rows,
      tokens,
      terms: dictionary.size,
      segments: segments.length,
      frozenBytes: frozenSegments.reduce((sum, segment) => sum + segment.byteLength, 0),
    };
  }

  #plan(query: string, { matchType = 'fts5', signal }: SearchOptions) {
    throwIfCancelled(signal);
    const context: MatchContext = {
      columns: this.#columns,
      pairs: 1 << this.#names.length,
      dictionary: this.#store.dictionary,
    };
    return planMatch(query, matchType, context);
  }

  #run(root: QueryNode, { limit = 20, offset = 0, filter, onBegin }: SearchOptions) {
    onBegin?.();
    return runQuery(root, this.#store, { limit, offset, filter });
  }

  #finish(root: QueryNode, options: SearchOptions): RunResult {
    return finished(this.#run(root, options));
  }

  async #finishInSlices(root: QueryNode, options: SearchOptions): Promise<RunResult> {
    for (let restarts = 0; restarts < MAX_RESTARTS; restarts++) {
      const run = this.#run(root, options);
      const { version } = this.#store;
      let begun = systemClock.monotonic();
      while (version === this.#store.version) {
        const step = run.next();
        if (step.done) return step.value;
        if (systemClock.monotonic() - begun >= SLICE_MS) {
          await nextTurn();
          begun = systemClock.monotonic();
        }
        throwIfCancelled(options.signal);
      }
    }
    return this.#finish(root, options);
  }

  #result(run: RunResult, root: QueryNode, relaxed: boolean): SearchResult {
    const { dictionary } = this.#store;
    const unknown = new Set<string>();
    if (run.total === 0) {
      for (const { terms } of phrasesOf(root)) {
        for (const { term, prefix } of terms) {
          const known = prefix
            ? dictionary.startingWith(term).length > 0
            : dictionary.find(term) !== undefined;
          if (!known) unknown.add(term);
        }
      }
    }
    return new SearchResult(run, this.#store, this.#names, relaxed, [...unknown]);
  }
}

/** See TextIndex: `put`, `delete`, `search`. */
export function createTextIndex(options: TextIndexOptions): TextIndex {
  return new TextIndex(options);
}

/**
 * Searching the notes of the memory bank: ranked over sections, or line by line for a literal text or
 * a regular expression. Looks at the files first, so an answer is about what is on disk now.
 */
import { type Clock, systemClock } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import { Slices } from '../files/watcher/slices.js';
import type { MemoryBank } from '../stores/memory-bank.js';
import {
  createExactMatcher,
  createRegexMatcher,
  type LineMatcher,
  type Span,
  tooCostly,
} from './line-matcher.js';
import { contentOf, type IndexedNote, NoteIndex } from './note-index.js';
import type { MatchType, NoteSearchMode } from './search-modes.js';
import type { SearchResult } from './search-result.js';
import { throwIfCancelled } from './search-run.js';
import type { DocumentId } from './text-index.js';

/** RE2 never hangs, but a large expression over every note can still take long. */
const TIME_LIMIT_MS = 10_000;
/** Of the private use area: in no text that people type. */
const OPEN = '\uE000';
const CLOSE = '\uE001';

export interface NoteQuery {
  readonly query: string;
  readonly mode: NoteSearchMode;
  /** Of ranked searches. */
  readonly matchType: MatchType;
  /** Of the others. */
  readonly caseSensitive: boolean;
  /** Only notes in or below this folder. */
  readonly folder?: string;
  readonly limit: number;
  readonly offset: number;
}

export interface NoteHit {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** The headings that the line stands under, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
  /** Within `text`, in order, not overlapping. */
  readonly matches: readonly Span[];
  /** All lines of the note. */
  readonly lines: readonly string[];
}

export interface NoteResults {
  readonly total: number;
  readonly hits: readonly NoteHit[];
  readonly relaxed: boolean;
  /** With no match: words that no note has. */
  readonly unknownWords: readonly string[];
  /** Lines that are too long for the regular expression, so that nobody knows. */
  readonly skippedLines?: number;
  /** With no match in the folder: how many there are elsewhere. */
  readonly withoutFilter: { readonly folder?: number };
}

export class NoteSearch {
  readonly #bank: MemoryBank;
  readonly #clock: Clock;
  #index = new NoteIndex();

  /** To be made before anything looks at the bank: it learns of notes by following it. */
  constructor(bank: MemoryBank, clock: Clock = systemClock) {
    this.#bank = bank;
    this.#clock = clock;
    bank.follow((change) => this.#index.apply(change));
  }

  /** QUERY_SYNTAX (regex; ranked with matchType fts5), TIMEOUT, CANCELLED, FILESYSTEM_ERROR. */
  async search(request: NoteQuery, signal?: AbortSignal): Promise<NoteResults> {
    await this.#bank.refresh();
    throwIfCancelled(signal);
    const found = await this.#find(request, signal);
    const { folder, ...elsewhere } = request;
    if (found.total > 0 || folder === undefined) return { ...found, withoutFilter: {} };
    const { total } = await this.#find(elsewhere, signal);
    return { ...found, withoutFilter: { folder: total } };
  }

  /**
   * Reads every note anew and builds the index from them. Notes and sections indexed. The signal's
   * reason where that is aborted: the next search reads the rest.
   */
  async rebuild(signal?: AbortSignal): Promise<{ notes: number; sections: number }> {
    this.#index = new NoteIndex();
    await this.#bank.readAgain(signal);
    return { notes: this.#index.notes().length, sections: this.#index.text.size };
  }

  #find(request: NoteQuery, signal?: AbortSignal): Promise<Omit<NoteResults, 'withoutFilter'>> {
    return request.mode === 'ranked' ? this.#ranked(request) : this.#byLine(request, signal);
  }

  async #ranked({ query, matchType, folder, limit, offset }: NoteQuery) {
    const index = this.#index;
    const isInside = (id: DocumentId) => isBelow(index.section(id)?.note.path ?? '', folder);
    const filter = folder === undefined ? {} : { filter: isInside };
    const result = index.text.search(query, { matchType, limit, offset, ...filter });
    const hits = result.hits.flatMap(({ id }) => rankedHit(index, result, id) ?? []);
    const { total, relaxed, unknownWords } = result;
    return { total, hits, relaxed, unknownWords };
  }

  async #byLine(request: NoteQuery, signal: AbortSignal | undefined) {
    const { folder, limit, offset } = request;
    const matcher = await matcherOf(request);
    const pace = new Slices(this.#clock);
    const deadline = this.#clock.monotonic() + TIME_LIMIT_MS;
    const hits: NoteHit[] = [];
    let total = 0;
    let skippedLines = 0;
    for (const note of this.#index.notes().filter(({ path }) => isBelow(path, folder))) {
      for (const [index, text] of note.lines.entries()) {
        if (pace.isOver()) {
          await pace.breathe();
          throwIfCancelled(signal);
          if (this.#clock.monotonic() > deadline) throw tooSlow();
        }
        const isMatch = matcher.test(text);
        if (isMatch === undefined) skippedLines += 1;
        if (!isMatch) continue;
        total += 1;
        if (total <= offset || hits.length === limit) continue;
        const match = matcher.find(text);
        hits.push(lineHit(note, index, match === undefined ? [] : [match]));
      }
    }
    if (total === 0 && skippedLines > 0) throw tooCostly();
    return { total, hits, relaxed: false, unknownWords: [], skippedLines };
  }
}

async function matcherOf({ query, mode, caseSensitive }: NoteQuery): Promise<LineMatcher> {
  if (mode === 'regex') return createRegexMatcher(query, { caseSensitive });
  if (!/[\r\n]/.test(query)) return createExactMatcher(query, { caseSensitive });
  throw new AppError(
    'VALIDATION_ERROR',
    'An exact search finds lines; the query has more than one.',
    {
      hint: 'Search for the most telling line of them.',
    },
  );
}

const isBelow = (path: string, folder: string | undefined) =>
  folder === undefined || folder === '' || path.startsWith(`${folder}/`);

function lineHit(note: IndexedNote, index: number, matches: readonly Span[]): NoteHit {
  const { path, lines, sections } = note;
  const line = index + 1;
  const headings = sections.findLast((section) => section.line <= line)?.headings ?? [];
  return { path, line, headings, text: lines[index] ?? '', matches, lines };
}

/** The line of the section that has most of the matches; the first, where only path or heading match. */
function rankedHit(index: NoteIndex, result: SearchResult, id: DocumentId): NoteHit | undefined {
  const found = index.section(id);
  if (found === undefined) return undefined;
  const { note, section } = found;
  const marks = { open: OPEN, close: CLOSE };
  const marked = result.highlight(id, 'content', contentOf(section), marks).split('\n');
  const spans = marked.map(spansOf);
  const most = Math.max(...spans.map(({ length }) => length));
  const best = spans.findIndex(({ length }) => length === most);
  return lineHit(note, section.line - 1 + best, spans[best] ?? []);
}

/** A match that goes on over the line's end is marked in each of its lines. */
function spansOf(marked: string): Span[] {
  const spans: Span[] = [];
  let start: number | undefined;
  let at = 0;
  for (const unit of marked.split(/([\uE000\uE001])/)) {
    if (unit === OPEN) start = at;
    else if (unit !== CLOSE) at += unit.length;
    else {
      spans.push({ start: start ?? 0, end: at });
      start = undefined;
    }
  }
  return start === undefined ? spans : [...spans, { start, end: at }];
}

function tooSlow(): AppError {
  return new AppError('TIMEOUT', `The search took over ${TIME_LIMIT_MS / 1000} seconds.`, {
    hint: 'Use a simpler expression, or name a folder.',
  });
}

/**
 * Searches the notes of the memory bank: sections in the order of their rank, or lines that contain a
 * literal text or match a regular expression. Every search first reads the notes that have changed on disk.
 */

import { TimeSlice } from '../../base/async/time-slice.js';
import { type Clock, systemClock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { throwIfCancelled } from '../../fts/cancellation.js';
import type { MatchType } from '../../fts/query/match-type-names.js';
import type { SearchResult } from '../../fts/search-result.js';
import type { DocumentId } from '../../fts/text-index.js';
import type { MemoryBank } from '../../stores/memory-bank/memory-bank.js';
import { isBelow } from '../../stores/memory-bank/note-path.js';
import type { NoteSearchMode } from '../search-names.js';
import { createExactMatcher, createRegexMatcher, type Span, tooCostly } from './line-matcher.js';
import { contentOf, type IndexedNote, NoteIndex } from './note-index.js';

/** A large expression over all notes can take long, although RE2 takes linear time. */
const TIME_LIMIT_MS = 10_000;
/** Private-use characters, because typed text does not have them. */
const OPEN = '\uE000';
const CLOSE = '\uE001';

export interface NoteQuery {
  readonly query: string;
  readonly mode: NoteSearchMode;
  /** For mode `ranked`. */
  readonly matchType: MatchType;
  /** For the modes `exact` and `regex`. */
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
  /** The headings above the line, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
  /** Ranges in `text`, ascending and without overlaps. */
  readonly matches: readonly Span[];
  /** All lines of the note. */
  readonly lines: readonly string[];
}

export interface NoteResults {
  readonly total: number;
  readonly hits: readonly NoteHit[];
  readonly relaxed: boolean;
  /** If nothing matches: the words that no note contains. */
  readonly unknownWords: readonly string[];
  /** Lines that were not tested because they are too long for the regular expression. */
  readonly skippedLines?: number;
  /** If nothing matches in the folder: the number of matches in all folders. */
  readonly withoutFilter: { readonly folder?: number };
}

export class NoteSearch {
  readonly #bank: MemoryBank;
  readonly #clock: Clock;
  #index = new NoteIndex();

  /** Must be created before the memory bank is first read, because it follows the bank's changes. */
  constructor(bank: MemoryBank, clock: Clock = systemClock) {
    this.#bank = bank;
    this.#clock = clock;
    bank.follow((change) => this.#index.apply(change));
  }

  /** Throws QUERY_SYNTAX (regex; ranked with matchType fts5), TIMEOUT, CANCELLED or FILESYSTEM_ERROR. */
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
   * Reads all notes again into a new index. Returns the numbers of indexed notes and sections. Throws the
   * reason of the signal if it is aborted; the next search then reads the remaining notes.
   */
  async rebuild(signal?: AbortSignal): Promise<{ notes: number; sections: number }> {
    this.#index = new NoteIndex();
    await this.#bank.readAgain(signal);
    return { notes: this.#index.notes().length, sections: this.#index.text.size };
  }

  /** All notes with their sections, as they are on disk now. Throws FILESYSTEM_ERROR. */
  async notes(): Promise<readonly IndexedNote[]> {
    await this.#bank.refresh();
    return this.#index.notes();
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
    const slice = new TimeSlice({ clock: this.#clock });
    const deadline = this.#clock.monotonic() + TIME_LIMIT_MS;
    const hits: NoteHit[] = [];
    let total = 0;
    let skippedLines = 0;
    for (const note of this.#index.notes().filter(({ path }) => isBelow(path, folder))) {
      for (const [index, text] of note.lines.entries()) {
        if (slice.isSpent()) {
          await slice.yield();
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

const matcherOf = ({ query, mode, caseSensitive }: NoteQuery) =>
  mode === 'regex'
    ? createRegexMatcher(query, { caseSensitive })
    : createExactMatcher(query, { caseSensitive });

function lineHit(note: IndexedNote, index: number, matches: readonly Span[]): NoteHit {
  const { path, lines, sections } = note;
  const line = index + 1;
  const headings = sections.findLast((section) => section.line <= line)?.headings ?? [];
  return { path, line, headings, text: lines[index] ?? '', matches, lines };
}

/** The line of the section with the most matches; the first line if only the path or the heading matches. */
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

/** The marked ranges of a line. A match across several lines is marked in each of them. */
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
  return new AppError('TIMEOUT', `The search took more than ${TIME_LIMIT_MS / 1000} seconds.`, {
    hint: 'Use a simpler expression, or search one folder.',
  });
}

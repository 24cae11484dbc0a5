/**
 * Index of short texts (names, titles, tags, modules) for quick find, based on MiniSearch. A word also
 * matches as a prefix and with typing errors (by another rule than in fts/); fields and recency have weights.
 * Quick find is for a person who types; `search_messages` returns what FTS5 would.
 *
 * `sync` compares the sources of entries by identity, so that only changed entries are indexed again.
 */
import MiniSearch, { type Query, type SearchOptions, type SearchResult } from 'minisearch';
import { bigramsOf } from '../../fts/tokenizing/cjk-bigrams.js';
import type { EntryKind, MatchField } from '../search-names.js';

export interface OtherName {
  readonly field: 'key' | 'module' | 'id';
  readonly text: string;
}

/** A field in which a word of the query was found, and the text of that field. */
export interface FieldMatch {
  readonly field: MatchField;
  readonly text: string;
}

/** An object that can be found by its name. */
export interface FindEntry {
  readonly kind: EntryKind;
  /** Unique within its kind. */
  readonly id: string;
  readonly title: string;
  readonly tags?: readonly string[];
  /** Other names of the same thing. */
  readonly names?: readonly OtherName[];
  /** Epoch milliseconds; absent means old. */
  readonly updatedAt?: number;
}

export interface FoundEntries {
  /** The first `limit`, best first. */
  readonly hits: readonly FindHit[];
  readonly total: number;
}

export interface FindHit {
  readonly entry: FindEntry;
  /** Larger is better; comparable within one answer only. */
  readonly score: number;
  /** The fields that match, with at most twenty tags. */
  readonly matches: readonly FieldMatch[];
}

/** The maximum number of matching tags of a hit. A file that another program wrote can have thousands. */
const MAX_TAGS = 20;
const FIELD_BOOST = { title: 3, names: 2.5, tags: 2 };
/** Shorter words must match exactly, because most short words differ from another one by one letter. */
const FUZZY_FROM_LENGTH = 4;
/** MiniSearch needs memory and time for the square of the length, and people do not type longer words. */
const FUZZY_TO_LENGTH = 100;
/** Letters that may differ, as a share of the length of the word. */
const FUZZY_SHARE = 0.2;
const MAX_FUZZY_LETTERS = 2;
/** An entry of this age has half of the recency bonus. */
const RECENCY_HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
const RECENCY_BONUS = 0.5;
/** Separates kind and id in a document id; no kind contains it. */
const SEPARATOR = ':';

/** Scripts without spaces between words: every pair of neighbouring characters is a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const NO_WORD = /[^\p{L}\p{N}]+/u;

export class QuickFindIndex {
  /** By document id. */
  readonly #entries = new Map<string, FindEntry>();
  /** The document ids of each source. */
  readonly #sources = new Map<EntryKind, ReadonlyMap<object, readonly string[]>>();
  /** Every word that was indexed, also those of entries that are gone. */
  readonly #words = new Set<string>();
  readonly #index = new MiniSearch<{ id: string; entry: FindEntry }>({
    fields: Object.keys(FIELD_BOOST),
    extractField: ({ id, entry }, field) => (field === 'id' ? id : textOf(entry, field)),
    tokenize: indexedWordsOf,
    processTerm: (term) => {
      this.#words.add(term);
      return term;
    },
    searchOptions: { processTerm: (term) => term },
  });

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Updates the entries of one kind, in steps; one call at a time. `sources` are immutable objects, such as
   * heads of conversations; an object of the last call is not indexed again.
   */
  *syncInSteps<T extends object>(
    kind: EntryKind,
    sources: Iterable<T>,
    entriesOf: EntriesOf<T>,
  ): Generator<undefined, void> {
    const before = this.#sources.get(kind) ?? new Map<object, readonly string[]>();
    const after = new Map<object, readonly string[]>();
    const added: T[] = [];
    for (const source of sources) {
      const known = before.get(source);
      if (known === undefined) added.push(source);
      after.set(source, known ?? []);
      yield;
    }
    const gone = new Set<string>();
    for (const [source, ids] of before) {
      if (!after.has(source)) for (const id of ids) gone.add(id);
      yield;
    }
    for (const source of added) {
      const entries = [...entriesOf(source)];
      const ids = entries.map(({ id }) => `${kind}${SEPARATOR}${id}`);
      for (const [at, entry] of entries.entries()) this.#put(ids[at] ?? '', entry);
      for (const id of ids) gone.delete(id);
      after.set(source, ids);
      yield;
    }
    for (const id of gone) {
      this.#entries.delete(id);
      this.#index.discard(id);
      yield;
    }
    this.#sources.set(kind, after);
  }

  /**
   * Best first: the entries with all words of the query; if there are none, those with a typing error in the
   * beginning of a word; if there are none, those with some of the words. Pauses after each word.
   */
  *findInSteps(
    query: string,
    { kinds, now, limit }: { kinds?: ReadonlySet<EntryKind>; now: number; limit: number },
  ): Generator<undefined, FoundEntries> {
    const options = this.#options(kinds, now);
    const words = distinctWordsOf(query);
    const some = yield* this.#searchEach(words, (word) => this.#index.search(word, options));
    const hasAll = ({ words: { length } }: Found) => length === words.length;
    let found = some.filter(hasAll);
    if (found.length === 0) {
      const similar = (word: string) =>
        this.#index.search(this.#withSimilarBeginnings(word), options);
      found = (yield* this.#searchEach(words, similar)).filter(hasAll);
    }
    if (found.length === 0) found = some;
    found.sort((a, b) => scoreOf(b) - scoreOf(a));
    const hits = found.slice(0, limit).flatMap((each) => {
      const entry = this.#entries.get(each.id);
      const matched = new Set(each.words.flatMap(({ terms }) => terms));
      return entry === undefined
        ? []
        : [{ entry, score: scoreOf(each), matches: matchesOf(entry, matched) }];
    });
    return { hits, total: found.length };
  }

  /** What is found for any of the words. */
  *#searchEach(
    words: readonly string[],
    search: (word: string) => SearchResult[],
  ): Generator<undefined, Found[]> {
    const found = new Map<string, Found>();
    for (const word of words) {
      for (const result of search(word)) {
        const id = String(result.id);
        const each = found.get(id) ?? { id, words: [], sum: 0, matched: 0 };
        each.words.push(result);
        each.sum += result.score / result.queryTerms.length;
        each.matched += result.queryTerms.length;
        found.set(id, each);
      }
      yield;
    }
    return [...found.values()];
  }

  /** Words and phrases of names of these kinds that complete or correct the query, best first. */
  suggest(query: string, limit: number, kinds?: ReadonlySet<EntryKind>): string[] {
    return this.#index
      .autoSuggest(query, { fuzzy: fuzzyLetters, boost: FIELD_BOOST, ...onlyOf(kinds) })
      .slice(0, limit)
      .map(({ suggestion }) => suggestion);
  }

  #put(id: string, entry: FindEntry): void {
    const known = this.#entries.get(id);
    if (known !== undefined && isSame(known, entry)) return;
    if (known !== undefined) this.#index.discard(id);
    this.#entries.set(id, entry);
    this.#index.add({ id, entry });
  }

  /** MiniSearch compares whole words only: with one letter missing, `tomto` is far from `tomatoes`. */
  #withSimilarBeginnings(word: string): Query {
    const similar = fuzzyLetters(word)
      ? [...this.#words].filter((other) => beginsLike(other, word))
      : [];
    const exact = { queries: similar, prefix: false, fuzzy: false };
    return { combineWith: 'OR', queries: [word, exact] };
  }

  #options(kinds: ReadonlySet<EntryKind> | undefined, now: number): SearchOptions {
    return {
      boost: FIELD_BOOST,
      tokenize: distinctWordsOf,
      prefix: true,
      fuzzy: fuzzyLetters,
      maxFuzzy: MAX_FUZZY_LETTERS,
      boostDocument: (id) => recency(this.#entries.get(String(id))?.updatedAt, now),
      ...onlyOf(kinds),
    };
  }
}

const onlyOf = (kinds: ReadonlySet<EntryKind> | undefined): Pick<SearchOptions, 'filter'> =>
  kinds === undefined
    ? {}
    : { filter: ({ id }) => kinds.has(String(id).split(SEPARATOR, 1)[0] as EntryKind) };

/** An entry with the results of those words of a query that were found in it. */
interface Found {
  readonly id: string;
  readonly words: SearchResult[];
  /** The sum of the scores of the words. */
  sum: number;
  /** MiniSearch multiplies a sum by the number of its parts: a word, or the word and similar ones. */
  matched: number;
}

/** The score that MiniSearch has for a query of all these words. */
const scoreOf = ({ sum, matched }: Found): number => sum * matched;

const isSame = (a: FindEntry, b: FindEntry): boolean =>
  a.updatedAt === b.updatedAt &&
  Object.keys(FIELD_BOOST).every((field) => textOf(a, field) === textOf(b, field));

function matchesOf({ title, tags = [], names = [] }: FindEntry, words: ReadonlySet<string>) {
  const isMatch = ({ text }: FieldMatch) => indexedWordsOf(text).some((word) => words.has(word));
  const named: FieldMatch[] = [{ field: 'title', text: title }];
  const tagged = tags.map((text): FieldMatch => ({ field: 'tag', text }));
  return [
    ...named.filter(isMatch),
    ...tagged.filter(isMatch).slice(0, MAX_TAGS),
    ...names.filter(isMatch),
  ];
}

type EntriesOf<T> = (source: T) => Iterable<FindEntry>;

function fuzzyLetters(term: string): number | false {
  if (term.length > FUZZY_TO_LENGTH || /\p{N}/u.test(term)) return false;
  return [...term].length >= FUZZY_FROM_LENGTH ? FUZZY_SHARE : false;
}

/** Whether `word` begins with `typed`, if one letter is wrong, missing or extra, or two are exchanged. */
function beginsLike(word: string, typed: string): boolean {
  let at = 0;
  while (at < typed.length && word[at] === typed[at]) at += 1;
  const rest = typed.slice(at + 1);
  const isMissing = word.startsWith(typed.slice(at), at + 1);
  const isWrongOrExtra = word.startsWith(rest, at + 1) || word.startsWith(rest, at);
  const areExchanged =
    word[at] === typed[at + 1] &&
    word[at + 1] === typed[at] &&
    word.startsWith(typed.slice(at + 2), at + 2);
  return isMissing || isWrongOrExtra || areExchanged;
}

function recency(updatedAt: number | undefined, now: number): number {
  if (updatedAt === undefined) return 1;
  const age = Math.max(0, now - updatedAt);
  return 1 + RECENCY_BONUS * 2 ** (-age / RECENCY_HALF_LIFE_MS);
}

function textOf({ title, tags, names }: FindEntry, field: string): string {
  if (field === 'title') return title;
  if (field === 'tags') return (tags ?? []).join(' ');
  return (names ?? []).map(({ text }) => text).join(' ');
}

/** Words without case, accents and compatibility forms; pairs of characters for scripts without spaces. */
const wordsOf = (text: string): string[] => splitPlain(plainOf(text));

/** The last character of a run begins no pair, so it is a word of its own, for queries of one character. */
function indexedWordsOf(text: string): string[] {
  const plain = plainOf(text);
  const lasts = Array.from(plain.matchAll(UNSPACED), ([run]) => [...run].at(-1) ?? '');
  return [...splitPlain(plain), ...lasts];
}

const plainOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss');

function splitPlain(plain: string): string[] {
  return plain.split(NO_WORD).flatMap((word) => {
    const spaced = word.replace(UNSPACED, ' ').split(' ');
    const unspaced = [...word.matchAll(UNSPACED)].flatMap(([run]) => bigramsOf(run));
    return [...spaced, ...unspaced].filter((part) => part !== '');
  });
}

const distinctWordsOf = (query: string): string[] => [...new Set(wordsOf(query))];

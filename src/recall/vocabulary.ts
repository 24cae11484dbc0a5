/**
 * Gives each stem a term ID. Each word is stemmed once for each language, and the result is cached, because
 * texts repeat the same words. IDs ascend from 0 and are never reused, so they can be indexes of arrays.
 */
import { addBits } from '../base/arrays/bit-counts.js';
import { Uint32List, withCapacity } from '../base/arrays/typed-array.js';
import { functionWords, LANGUAGES, languageOfCounts } from './languages.js';
import { stemOf } from './words/stemming.js';
import { StringIds, WordReader } from './words/word-reader.js';

/** Stands for a word that is not indexed. */
const NOT_INDEXED = -1;
/**
 * Entries of a word's table: 0 means not stemmed yet; otherwise the entry is the term ID plus this offset.
 */
const NOT_STEMMED = 0;
const STEM_OFFSET = 2;

/** Bits of `Vocabulary.cueWords`. */
export const HAS_INSTRUCTION_WORD = 1;
export const HAS_PREFERENCE_WORD = 2;

const HAN_PAIR = /^(?:.\p{sc=Han}|\p{sc=Han}.)$/u;

/** The shortest stem of a noun that is looked for in compounds. */
const MIN_PART_LENGTH = 5;

export class Vocabulary {
  readonly #stems: StringIds;
  readonly #words = new StringIds();
  /** By language and word ID: the term ID plus STEM_OFFSET. */
  readonly #stemTables: Int32Array[] = LANGUAGES.map(() => new Int32Array(0));
  /** Languages in which a word is a function word (bitmask). These have the lowest word IDs. */
  readonly #functionWordOf: Uint8Array;
  /** By word ID: bits of `cueWords`. */
  readonly #cueWordOf: Uint8Array;
  /** By language: number of its different function words in the text. */
  readonly #counts = new Uint32Array(LANGUAGES.length);
  /** By function word: the number of the last text that has it. */
  readonly #lastTextOf: Uint32Array;
  #texts = 0;
  /** Built at the first use. */
  readonly #endings = new Endings();
  /** By character: the pairs that have it, of the first `#pairsSize` terms. Built at the first use. */
  readonly #pairs = new Map<string, number[]>();
  #pairsSize = 0;
  /** Converts texts to word IDs, one text at a time. */
  readonly reader = new WordReader(this.#words);
  /** Reused for all conversations, so that lists do not grow anew for each. */
  readonly lists = { terms: new Uint32List(), passages: new Uint32List() };

  constructor(stems = new StringIds()) {
    this.#stems = stems;
    const masks = Array.from(functionWords(), ([word, mask]) => [this.#words.intern(word), mask]);
    const cueWords = LANGUAGES.flatMap(({ cueWords }) => [
      ...(cueWords?.instruction ?? []).map((word) => [word, HAS_INSTRUCTION_WORD] as const),
      ...(cueWords?.preference ?? []).map((word) => [word, HAS_PREFERENCE_WORD] as const),
    ]).map(([word, bit]) => [this.#words.intern(word), bit]);
    this.#functionWordOf = new Uint8Array(this.#words.capacity);
    for (const [word = 0, mask = 0] of masks) this.#functionWordOf[word] = mask;
    this.#lastTextOf = new Uint32Array(this.#functionWordOf.length);
    this.#cueWordOf = new Uint8Array(this.#words.capacity);
    for (const [word = 0, bit = 0] of cueWords)
      this.#cueWordOf[word] = (this.#cueWordOf[word] ?? 0) | bit;
  }

  /** All term IDs are lower. */
  get size(): number {
    return this.#stems.capacity;
  }

  /** The stem of a term ID. */
  term(id: number): string {
    return this.#stems.term(id);
  }

  /** The word of a word ID from the reader. */
  word(id: number): string {
    return this.#words.term(id);
  }

  /**
   * Appends to `terms` the term IDs of the reader's words `from` up to `to`. New stems get a new ID.
   * Function words of the language are left out.
   */
  appendStems(from: number, to: number, language: number, terms: Uint32List): void {
    const stems = withCapacity(
      this.#stemTables[language] ?? new Int32Array(0),
      this.#words.capacity,
    );
    this.#stemTables[language] = stems;
    terms.reserve(to - from);
    const words = this.reader.words.array;
    for (let at = appendKnown(words, stems, from, to, terms); at < to; ) {
      const word = words[at] ?? 0;
      stems[word] = this.#stemIdOf(word, language) + STEM_OFFSET;
      at = appendKnown(words, stems, at, to, terms);
    }
  }

  /** Language of the reader's words; `before` if the words do not determine it. */
  languageOf(before: number): number {
    const { array, count } = this.reader.words;
    const masks = this.#functionWordOf;
    const counts = this.#counts.fill(0);
    const text = ++this.#texts;
    for (let at = 0; at < count; at++) {
      const word = array[at] ?? 0;
      if (word >= masks.length || this.#lastTextOf[word] === text) continue;
      this.#lastTextOf[word] = text;
      addBits(counts, 0, masks[word] ?? 0);
    }
    return languageOfCounts(counts, before);
  }

  /** Which of the languages' `cueWords` the first `count` of the reader's words have, as bits. */
  cueWords(count: number): number {
    const { array } = this.reader.words;
    const bits = this.#cueWordOf;
    let found = 0;
    for (let at = 0; at < count; at++) {
      const word = array[at] ?? 0;
      if (word < bits.length) found |= bits[word] ?? 0;
    }
    return found;
  }

  /** The term ID of a stem, if a text has it. */
  find(stem: string): number | undefined {
    return this.#stems.find(stem);
  }

  /** Term IDs of the longer stems that end with `stem`, if it is long enough to be a part of a compound. */
  endingWith(stem: string): number[] {
    if (stem.length < MIN_PART_LENGTH) return [];
    for (let term = this.#endings.size; term < this.#stems.size; term++)
      this.#endings.add(term, this.#stems.term(term));
    return this.#endings.like(stem).filter((term) => {
      const other = this.#stems.term(term);
      return other.length > stem.length && other.endsWith(stem);
    });
  }

  /** Term IDs of the pairs of CJK characters that have the Chinese character. */
  pairsWith(character: string): readonly number[] {
    for (; this.#pairsSize < this.#stems.size; this.#pairsSize++) {
      const stem = this.#stems.term(this.#pairsSize);
      if (!HAN_PAIR.test(stem)) continue;
      for (const own of new Set(stem)) {
        const terms = this.#pairs.get(own);
        if (terms === undefined) this.#pairs.set(own, [this.#pairsSize]);
        else terms.push(this.#pairsSize);
      }
    }
    return this.#pairs.get(character) ?? [];
  }

  /** The term ID of the longest stem with which `stem` ends. */
  longestEnd(stem: string): number | undefined {
    for (let from = 1; from <= stem.length - MIN_PART_LENGTH; from++) {
      const term = this.find(stem.slice(from));
      if (term !== undefined) return term;
    }
    return undefined;
  }

  #stemIdOf(word: number, language: number): number {
    const stem = stemOf(this.word(word), language);
    return stem === undefined ? NOT_INDEXED : this.#stems.intern(stem);
  }
}

/** Finds terms by the hash of their last MIN_PART_LENGTH characters. */
class Endings {
  /** By hash: 1 + the last term with it, 0 if there is none. */
  readonly #lasts = new Uint32Array(2 ** 16);
  /** By term: 1 + the one before it with the same hash. */
  #before = new Uint32Array(0);
  size = 0;

  /** `term` is `size`. */
  add(term: number, stem: string): void {
    const hash = hashOfEnd(stem);
    this.#before = withCapacity(this.#before, term + 1);
    this.#before[term] = this.#lasts[hash] ?? 0;
    this.#lasts[hash] = term + 1;
    this.size = term + 1;
  }

  /** Ascending terms, among them all that end with `stem`. */
  like(stem: string): number[] {
    const found: number[] = [];
    let next = this.#lasts[hashOfEnd(stem)] ?? 0;
    for (; next !== 0; next = this.#before[next - 1] ?? 0) found.push(next - 1);
    return found.reverse();
  }
}

function hashOfEnd(stem: string): number {
  let hash = 0;
  for (let at = Math.max(0, stem.length - MIN_PART_LENGTH); at < stem.length; at++)
    hash = (Math.imul(hash, 31) + stem.charCodeAt(at)) & 0xffff;
  return hash;
}

/**
 * Appends the term IDs of `words` from `from` on, and returns the index of the first word without one, or `to`.
 * It calls nothing, so that V8 compiles it once.
 */
function appendKnown(
  words: Uint32Array,
  stems: Int32Array,
  from: number,
  to: number,
  terms: Uint32List,
): number {
  const result = terms.array;
  let { count } = terms;
  let at = from;
  for (; at < to; at++) {
    const stem = stems[words[at] ?? 0] ?? NOT_STEMMED;
    if (stem === NOT_STEMMED) break;
    if (stem !== NOT_INDEXED + STEM_OFFSET) result[count++] = stem - STEM_OFFSET;
  }
  terms.count = count;
  return at;
}

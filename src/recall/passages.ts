/** Passages: overlapping parts of a message with a fixed number of words, for index and vectors. */
import { scanWords } from './words/words.js';

/** Length and overlap of passages, in words of the text. */
export const PASSAGE_WORDS = 120;
const OVERLAP_WORDS = 20;

/**
 * Computes where passages begin and end while a text of known length is read. Each has PASSAGE_WORDS words;
 * the next begins OVERLAP_WORDS before its end. A rest that is shorter than the overlap belongs to the last
 * passage.
 */
export class PassageCutter {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #count: number;
  /** The next word, counted from the start of the text, at which a passage begins or ends. */
  next = 0;

  constructor(words: number) {
    this.#count = passageCount(words);
  }

  /** Notes that word number `read` of the text is at index `at` of the terms. */
  reach(read: number, at: number): void {
    if (read < this.next) return;
    const step = PASSAGE_WORDS - OVERLAP_WORDS;
    const nextStart = () =>
      this.#starts.length < this.#count ? this.#starts.length * step : Infinity;
    const nextEnd = () =>
      this.#ends.length < this.#count - 1 ? this.#ends.length * step + PASSAGE_WORDS : Infinity;
    while (read >= nextStart()) this.#starts.push(at);
    while (read >= nextEnd()) this.#ends.push(at);
    this.next = Math.min(nextStart(), nextEnd());
  }

  end(at: number): number[] {
    while (this.#starts.length < this.#count) this.#starts.push(at);
    while (this.#ends.length < this.#count) this.#ends.push(at);
    return this.#starts.flatMap((start, passage) => [start, this.#ends[passage] ?? at]);
  }
}

/** Number of passages of a text of `words` words; at least 1. */
export function passageCount(words: number): number {
  const step = PASSAGE_WORDS - OVERLAP_WORDS;
  return Math.max(1, Math.ceil((words - OVERLAP_WORDS) / step));
}

/** UTF-16 offsets of a passage in its text. */
export interface PassageRange {
  readonly start: number;
  readonly end: number;
}

/** The passages of a text as they are indexed and embedded. At least one. */
export function passagesOf(text: string): PassageRange[] {
  const offsets: number[] = [];
  const ends: number[] = [];
  const reached: number[] = [];
  let read = 0;
  scanWords(text, (_word, start, end, weight) => {
    offsets.push(start);
    ends.push(end);
    reached.push(read);
    read += weight;
  });
  const cutter = new PassageCutter(read);
  reached.forEach((words, at) => {
    cutter.reach(words, at);
  });
  const positions = cutter.end(offsets.length);
  const count = positions.length / 2;
  return Array.from({ length: count }, (_, passage) => {
    const from = positions[2 * passage] ?? 0;
    const to = positions[2 * passage + 1] ?? 0;
    const start = passage === 0 ? 0 : (offsets[from] ?? text.length);
    // Characters between two words (a full stop, a bracket) belong to the word before them.
    const end = passage === count - 1 ? text.length : (offsets[to] ?? ends.at(-1) ?? text.length);
    return { start, end };
  });
}

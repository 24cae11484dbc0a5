/**
 * One message as recall reads it: stems in their order, cut into passages, and what can be derived from
 * the text alone. Who speaks and when stands before the words, so that a question may name either.
 */
import { LANGUAGES, languageOf } from './languages.js';
import { STOPPED, type Vocabulary } from './vocabulary.js';
import { scanWords, wordsOf } from './words.js';

/** Of a passage, in words of the text as it is read. */
export const PASSAGE_WORDS = 120;
export const OVERLAP_WORDS = 20;

/** What is indexed of a message. */
export interface MessageSource {
  readonly role: string;
  readonly content: string;
  /** Epoch milliseconds. */
  readonly time: number;
  /** A person's name, where the message has one. */
  readonly speaker: string | undefined;
}

/** Bits of a message. */
export const IS_QUESTION = 1;
export const IS_LONG_REPLY = 2;
export const IS_INSTRUCTION = 4;
export const IS_PREFERENCE = 8;
export const IS_ASSISTANT = 16;

export interface ReadMessage {
  /** Numbers of stems: speaker and date first, then the content. */
  readonly terms: readonly number[];
  /** How many of them stand before the content. */
  readonly prefix: number;
  /** Passages as places in `terms`: from, to, from, to. */
  readonly passages: readonly number[];
  readonly flags: number;
  readonly language: number;
}

/** `before`: the language of the message before it. */
export function readMessage(
  message: MessageSource,
  vocabulary: Vocabulary,
  before: number,
): ReadMessage {
  const words: string[] = [];
  const reached: number[] = [];
  let read = 0;
  scanWords(message.content, (word, _start, _end, weight) => {
    words.push(word);
    reached.push(read);
    read += weight;
  });
  const language = languageOf(words, before);
  const terms: number[] = [];
  for (const word of prefixOf(message, language)) {
    const term = vocabulary.numberOf(word, language);
    if (term !== STOPPED) terms.push(term);
  }
  const prefix = terms.length;
  const cutter = new PassageCutter(read);
  words.forEach((word, at) => {
    cutter.reach(reached[at] ?? 0, terms.length);
    const term = vocabulary.numberOf(word, language);
    if (term !== STOPPED) terms.push(term);
  });
  const passages = cutter.end(terms.length);
  return { terms, prefix, passages, flags: flagsOf(message, read, language), language };
}

function prefixOf({ speaker, time }: MessageSource, language: number): string[] {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return wordsOf(speaker ?? '');
  const month = monthName(language, date.getUTCMonth());
  return wordsOf(`${speaker ?? ''} ${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`);
}

const months = new Map<number, string[]>();

function monthName(language: number, month: number): string {
  let names = months.get(language);
  if (names === undefined) {
    const locale = LANGUAGES[language]?.code ?? 'en';
    const format = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
    names = Array.from({ length: 12 }, (_, at) => format.format(Date.UTC(2001, at, 15)));
    months.set(language, names);
  }
  return names[month] ?? '';
}

function flagsOf({ role, content }: MessageSource, words: number, language: number): number {
  const isAssistant = role === 'assistant';
  const isUser = role === 'user';
  const cues = LANGUAGES[language]?.cues ?? {};
  const isStanding = (cue: RegExp | undefined) =>
    isUser && cue?.test(content.toLowerCase()) === true;
  return (
    (words <= MOST_WORDS_OF_A_QUESTION && ENDS_IN_QUESTION.test(content) ? IS_QUESTION : 0) |
    (isAssistant ? IS_ASSISTANT : 0) |
    (isAssistant && words > PASSAGE_WORDS ? IS_LONG_REPLY : 0) |
    (isStanding(cues.isInstruction) ? IS_INSTRUCTION : 0) |
    (isStanding(cues.isPreference) ? IS_PREFERENCE : 0)
  );
}

/** A longer message says something before it asks. */
const MOST_WORDS_OF_A_QUESTION = 30;
const ENDS_IN_QUESTION = /[?？][\s"')\]]*$/;

/**
 * Where passages begin and end while a text of known length is read: each PASSAGE_WORDS long, the next
 * begins OVERLAP_WORDS before its end; a rest shorter than the overlap joins the last.
 */
class PassageCutter {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #count: number;

  constructor(words: number) {
    this.#count = passageCount(words);
  }

  /** The word `read` words into the text goes to the position `at`. */
  reach(read: number, at: number): void {
    const step = PASSAGE_WORDS - OVERLAP_WORDS;
    while (this.#starts.length < this.#count && read >= this.#starts.length * step)
      this.#starts.push(at);
    while (this.#ends.length < this.#count - 1 && read >= this.#ends.length * step + PASSAGE_WORDS)
      this.#ends.push(at);
  }

  end(at: number): number[] {
    while (this.#starts.length < this.#count) this.#starts.push(at);
    while (this.#ends.length < this.#count) this.#ends.push(at);
    return this.#starts.flatMap((start, passage) => [start, this.#ends[passage] ?? at]);
  }
}

/** How many passages a text of so many words makes; one at least. */
function passageCount(words: number): number {
  const step = PASSAGE_WORDS - OVERLAP_WORDS;
  return Math.max(1, Math.ceil((words - OVERLAP_WORDS) / step));
}

/** UTF-16 offsets of a passage in its text. */
export interface PassageRange {
  readonly start: number;
  readonly end: number;
}

/** The passages of a text, as they are indexed: also what an embedder embeds. Never none. */
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
    // What stands between two words (a full stop, a bracket) belongs to the one before it.
    const end = passage === count - 1 ? text.length : (offsets[to] ?? ends.at(-1) ?? text.length);
    return { start, end };
  });
}

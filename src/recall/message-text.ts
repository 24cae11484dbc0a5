/**
 * Converts one message to what recall indexes: term IDs in the order of the text, passages, and flags. The
 * speaker's name and the date are indexed before the content, so that a question can name them.
 */
import { Uint32List } from '../base/typed-array.js';
import { LANGUAGES } from './languages.js';
import type { Vocabulary } from './vocabulary.js';
import { scanWords } from './words.js';

/** Length and overlap of passages, in words of the text. */
export const PASSAGE_WORDS = 120;
export const OVERLAP_WORDS = 20;

/** What is indexed of a message. */
export interface MessageSource {
  readonly role: string;
  readonly content: string;
  /** Epoch milliseconds. */
  readonly time: number;
  /** Name of a person, if the message has one. */
  readonly speaker: string | undefined;
}

/** Flags of a message, as bits. */
export const IS_QUESTION = 1;
export const IS_LONG_REPLY = 2;
export const IS_INSTRUCTION = 4;
export const IS_PREFERENCE = 8;
export const IS_ASSISTANT = 16;

/** What is stored of a message besides its terms and passages. */
export interface ReadMessage {
  /** Number of its terms before the content (speaker and date). */
  readonly prefix: number;
  readonly flags: number;
  readonly language: number;
}

/** Output lists to which one message after another is appended. */
export interface StemLists {
  /** Term IDs: for each message first speaker and date, then the content. */
  readonly terms: Uint32List;
  /** Start and end of each passage, as indexes into `terms`. */
  readonly passages: Uint32List;
}

/** One step reads this many characters, or converts this many words to term IDs. Both take 1 to 2 ms. */
const STEP_CHARS = 32_768;
const STEP_WORDS = 8_192;
/** Cues of instructions and preferences are searched only in this many characters. */
const CUE_CHARS = 100_000;

/**
 * Appends a message to `lists`. `before`: language of the message before it. Yields between the steps of a
 * long message; until it returns, nothing else may use the vocabulary's reader or the lists.
 */
export function* readMessage(
  message: MessageSource,
  vocabulary: Vocabulary,
  before: number,
  { terms, passages }: StemLists,
  labels: Labels,
): Generator<undefined, ReadMessage> {
  const { reader } = vocabulary;
  reader.clear();
  if (message.content.length <= STEP_CHARS) reader.add(message.content);
  else
    for (const part of partsOf(message.content)) {
      reader.add(part);
      yield;
    }
  const { count } = reader.words;
  const read = reader.read / 2;
  const language = vocabulary.languageOf(before);
  const prefix = labels.append(message, language, vocabulary, terms);
  if (passageCount(read) === 1) {
    passages.push(terms.count);
    vocabulary.appendStems(0, count, language, terms);
    passages.push(terms.count);
  } else yield* cutPassages(vocabulary, count, language, { terms, passages });
  return { prefix, flags: flagsOf(message, read, language), language };
}

/** Appends the first `count` words of the vocabulary's reader, and their passages. */
function* cutPassages(
  vocabulary: Vocabulary,
  count: number,
  language: number,
  { terms, passages }: StemLists,
): Generator<undefined, void> {
  const { reader } = vocabulary;
  const cutter = new PassageCutter(reader.readBefore(count) / 2);
  for (let at = 0; at < count; ) {
    cutter.reach(reader.readBefore(at) / 2, terms.count);
    const to = Math.min(reader.firstReaching(2 * cutter.next, at), at + STEP_WORDS, count);
    vocabulary.appendStems(at, to, language, terms);
    if (to === at + STEP_WORDS) yield;
    at = to;
  }
  for (const position of cutter.end(terms.count)) passages.push(position);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Appends the stems of speaker and date. It keeps the last result, because neighbouring messages mostly
 * have the same speaker and date.
 */
export class Labels {
  #speaker: string | undefined;
  #day = Number.NaN;
  #language = -1;
  readonly #terms = new Uint32List(8);

  /**
   * Appends the label of the message whose content the vocabulary's reader has read, and returns the number
   * of its terms. It may add the words of the label to the reader, behind those of the content.
   */
  append(
    { speaker, time }: MessageSource,
    language: number,
    vocabulary: Vocabulary,
    terms: Uint32List,
  ): number {
    const day = Math.floor(time / DAY_MS);
    const isSame = day === this.#day && speaker === this.#speaker && language === this.#language;
    if (!isSame) {
      const { reader } = vocabulary;
      const from = reader.words.count;
      reader.add(labelText(speaker, time, language));
      this.#terms.clear();
      vocabulary.appendStems(from, reader.words.count, language, this.#terms);
      this.#speaker = speaker;
      this.#day = day;
      this.#language = language;
    }
    const { array, count } = this.#terms;
    for (let at = 0; at < count; at++) terms.push(array[at] ?? 0);
    return count;
  }
}

/** The text in parts that end before white space, so that no word is divided. */
function* partsOf(text: string): Generator<string> {
  const blank = /\s/g;
  for (let from = 0; from < text.length; ) {
    blank.lastIndex = from + STEP_CHARS;
    const to =
      text.length - from <= STEP_CHARS ? text.length : (blank.exec(text)?.index ?? text.length);
    yield text.slice(from, to);
    from = to;
  }
}

function labelText(speaker: string | undefined, time: number, language: number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return speaker ?? '';
  const month = monthName(language, date.getUTCMonth());
  return `${speaker ?? ''} ${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`;
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
  const lower = isUser ? content.slice(0, CUE_CHARS).toLowerCase() : '';
  const isStanding = (cue: RegExp | undefined) => isUser && cue?.test(lower) === true;
  return (
    (words <= MAX_QUESTION_WORDS && ENDS_IN_QUESTION.test(content) ? IS_QUESTION : 0) |
    (isAssistant ? IS_ASSISTANT : 0) |
    (isAssistant && words > PASSAGE_WORDS ? IS_LONG_REPLY : 0) |
    (isStanding(cues.isInstruction) ? IS_INSTRUCTION : 0) |
    (isStanding(cues.isPreference) ? IS_PREFERENCE : 0)
  );
}

/** A longer message that ends in a question mark also states something. */
const MAX_QUESTION_WORDS = 30;
const ENDS_IN_QUESTION = /[?？][\s"')\]]*$/;

/**
 * Computes where passages begin and end while a text of known length is read. Each has PASSAGE_WORDS words;
 * the next begins OVERLAP_WORDS before its end. A rest that is shorter than the overlap belongs to the last
 * passage.
 */
class PassageCutter {
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
function passageCount(words: number): number {
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

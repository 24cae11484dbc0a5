/**
 * Converts one message to what recall indexes: term IDs in the order of the text, passages, and flags
 * (message-flags.ts). The speaker's name and the date are indexed before the content, so that a question can name
 * them.
 */

import { Uint32List } from '../base/arrays/typed-array.js';
import { DAY_MS } from '../base/clock.js';
import { LANGUAGES } from './languages.js';
import { flagsOf } from './message-flags.js';
import { PassageCutter, passageCount } from './passages.js';
import type { Vocabulary } from './vocabulary.js';

/** What is indexed of a message. */
export interface MessageSource {
  readonly role: string;
  readonly content: string;
  /** Epoch milliseconds. */
  readonly time: number;
  /** Name of a person, if the message has one. */
  readonly speaker: string | undefined;
}

/** The messages of a conversation. An array is one; other lists can make each message when it is read. */
export interface MessageSources {
  readonly length: number;
  /** The message at `index`, from 0. */
  at(index: number): MessageSource | undefined;
}

/** What was read of a message besides its terms and passages. */
export interface ReadMessage {
  /** Number of its terms before the content (speaker and date). */
  readonly prefix: number;
  readonly flags: number;
  readonly language: number;
  /** Number of the words of its content. */
  readonly count: number;
  readonly hasOnePassage: boolean;
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

/** Whether the words of a message are read in steps, by `readInSteps`. */
export const isLong = ({ content }: MessageSource): boolean => content.length > STEP_CHARS;

/** Adds the words of a long message to the vocabulary's reader. Yields between the steps. */
export function* readInSteps(
  { content }: MessageSource,
  { reader }: Vocabulary,
): Generator<undefined, void> {
  for (const part of partsOf(content)) {
    reader.add(part);
    yield;
  }
}

/**
 * Appends a message to `lists`. The vocabulary's reader must have the words of this message and no others.
 * `before`: language of the message before it. The content of a message with more than one passage is left to
 * `appendPassages`.
 */
export function appendMessage(
  message: MessageSource,
  vocabulary: Vocabulary,
  before: number,
  { terms, passages }: StemLists,
  labels: Labels,
): ReadMessage {
  const { reader } = vocabulary;
  const { count } = reader.words;
  const words = reader.read / 2;
  const language = vocabulary.languageOf(before);
  const prefix = labels.append(message, language, vocabulary, terms);
  const hasOnePassage = passageCount(words) === 1;
  if (hasOnePassage) {
    passages.push(terms.count);
    vocabulary.appendStems(0, count, language, terms);
    passages.push(terms.count);
  }
  const cueWords = message.role === 'user' ? vocabulary.cueWords(count) : 0;
  return {
    prefix,
    flags: flagsOf(message, words, language, cueWords),
    language,
    count,
    hasOnePassage,
  };
}

/** Appends the content of a message that has more than one passage. Yields between the steps. */
export function* appendPassages(
  { count, language }: ReadMessage,
  vocabulary: Vocabulary,
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

/** Appends the stems of speaker and date; keeps the last ones, which neighbours mostly share. */
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

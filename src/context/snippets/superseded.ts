/**
 * Determines which of two passages about the same subject is outdated: the earlier one, if the later one
 * says that something changed, or has other values for the same subject.
 */
import { LANGUAGES, languageOf } from '../../recall/languages.js';
import { stemOf } from '../../recall/words/stemming.js';
import { wordsOf } from '../../recall/words/words.js';

export interface DatedPassage {
  readonly text: string;
  /** Epoch milliseconds. */
  readonly time: number;
  readonly role: string;
}

/** Shares of the smaller passage's stems that the other must have, so that both are about the same subject. */
const SHARED_STEMS = 0.5;
const MANY_SHARED_STEMS = 0.7;
/** Passages with fewer stems would match by chance. */
const MIN_STEMS = 3;
const NUMBER = /^\p{N}+$/u;

interface Content {
  readonly stems: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  /** Names of months and days of the week. */
  readonly dateWords: ReadonlySet<string>;
  readonly saysChange: boolean;
}

/** By passage: index of the latest passage that supersedes it; `undefined` if there is none. */
export function supersededBy(passages: readonly DatedPassage[]): (number | undefined)[] {
  const contents = passages.map(({ text }) => contentOf(text));
  const order = [...passages.keys()].sort(
    (a, b) => (passages[b]?.time ?? 0) - (passages[a]?.time ?? 0) || b - a,
  );
  return passages.map((passage, position) =>
    order.find((other) => {
      const later = passages[other];
      if (later === undefined || later.time <= passage.time) return false;
      if (later.role === 'assistant') return false; // an assistant repeats what people decide
      return supersedes(contents[other], contents[position]);
    }),
  );
}

function supersedes(later: Content | undefined, earlier: Content | undefined): boolean {
  if (later === undefined || earlier === undefined) return false;
  const least = Math.min(later.stems.size, earlier.stems.size);
  if (least < MIN_STEMS) return false;
  let shared = 0;
  for (const stem of earlier.stems) if (later.stems.has(stem)) shared += 1;
  if (later.saysChange) return shared / least >= SHARED_STEMS;
  // Each passage has a word that the other lacks: they may be about two things, such as two cities.
  if (shared < earlier.stems.size && shared < later.stems.size) return false;
  return shared / least >= MANY_SHARED_STEMS && hasOtherValue(later, earlier);
}

/** With two other numbers, the passages may be about two things, such as two invoices. */
function hasOtherValue(later: Content, earlier: Content): boolean {
  const [now, then] = [
    countMissing(later.numbers, earlier.numbers),
    countMissing(earlier.numbers, later.numbers),
  ];
  if (now > 1 || then > 1) return false;
  const isOtherDate =
    countMissing(later.dateWords, earlier.dateWords) > 0 &&
    countMissing(earlier.dateWords, later.dateWords) > 0;
  return isOtherDate || (now === 1 && then === 1);
}

/** The number of words of `some` that `others` lacks. */
const countMissing = (some: ReadonlySet<string>, others: ReadonlySet<string>): number =>
  [...some].filter((word) => !others.has(word)).length;

function contentOf(text: string): Content {
  const words = wordsOf(text);
  const language = languageOf(words, 0);
  const names = dateNamesOf(language);
  const numbers = new Set(words.filter((word) => NUMBER.test(word)));
  const dateWords = new Set(words.filter((word) => names.has(word)));
  const stems = new Set<string>();
  for (const word of words) {
    const isValue = numbers.has(word) || dateWords.has(word);
    const stem = isValue ? undefined : stemOf(word, language);
    if (stem !== undefined) stems.add(stem);
  }
  const isChange = LANGUAGES[language]?.cues.isChange;
  return { stems, numbers, dateWords, saysChange: isChange?.test(text.toLowerCase()) === true };
}

const dateNames = new Map<number, ReadonlySet<string>>();

function dateNamesOf(language: number): ReadonlySet<string> {
  let names = dateNames.get(language);
  if (names === undefined) {
    const locale = LANGUAGES[language]?.code ?? 'en';
    const named = (option: Intl.DateTimeFormatOptions, times: number[]) => {
      const format = new Intl.DateTimeFormat(locale, { ...option, timeZone: 'UTC' });
      return times.flatMap((time) => wordsOf(format.format(time)));
    };
    const months = Array.from({ length: 12 }, (_, at) => Date.UTC(2001, at, 15));
    const days = Array.from({ length: 7 }, (_, at) => Date.UTC(2001, 0, at + 1));
    names = new Set([...named({ month: 'long' }, months), ...named({ weekday: 'long' }, days)]);
    dateNames.set(language, names);
  }
  return names;
}

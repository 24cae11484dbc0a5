/**
 * Parses a question: its words without function words, each with its terms in all languages of the store
 * (question-terms.ts), and what the question asks for according to its language's cues. The function words, the
 * words about a conversation and the cues of a language are in languages/.
 */
import { LANGUAGES, languageOf } from '../languages.js';
import type { Vocabulary } from '../vocabulary.js';
import { stemOf } from '../words/stemming.js';
import { withoutDiacritics, wordsOf } from '../words/words.js';
import { termsFor } from './question-terms.js';
import { isInSpan, type PresentTime, type TimeSpan, timeSpanIn } from './relative-time.js';

/** Further words are ignored, because bitmasks have one bit for each word. */
const MAX_WORDS = 31;
/** Weight of a word about the conversation, not about its subject. */
const CONVERSATION_WEIGHT = 0.3;
/** Weight of a name or a number if `boostsEntities` is set. */
const ENTITY_WEIGHT = 3;

/** Only Japanese uses kana. A short question may have too few function words to determine the language. */
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HIRAGANA = /\p{Script=Hiragana}/u;
const JAPANESE = LANGUAGES.findIndex(({ code }) => code === 'ja');

export interface QuestionWord {
  /** As typed, in lower case. */
  readonly text: string;
  /** Term IDs of its stems; empty if no message has one. */
  readonly terms: readonly number[];
  readonly weight: number;
}

export interface Question {
  readonly text: string;
  /** Each word once, in the order of the question. */
  readonly words: readonly QuestionWord[];
  /** Indexes in `words` of two neighbouring words, in their order. */
  readonly pairs: readonly (readonly [number, number])[];
  /** It is a question or a sentence, not a list of keywords. */
  readonly hasFunctionWords: boolean;
  readonly asksAssistant: boolean;
  readonly isRequest: boolean;
  readonly isRecollection: boolean;
  /** It asks in which order things happened or were said. */
  readonly asksForPastOrder: boolean;
  readonly asksForNumber: boolean;
  /** If it asks whether something ever happened: term IDs of words such as "never". */
  readonly neverTerms: readonly number[];
  readonly isOverview: boolean;
  /** Its answer is in many places: short excerpts of many messages fit better than few passages. */
  readonly isBroad: boolean;
  /** The time that it names relative to now ("last week"). The words of the phrase are not in `words`. */
  readonly timeSpan?: TimeSpan;
  /** The phrase of a time in which no message was written. Its words are in `words`. */
  readonly emptyTime?: string;
}

/** Whether it asks only what was said in its time span: "What did we discuss yesterday?" */
export const asksOnlyForTime = ({ timeSpan, words, hasFunctionWords }: Question): boolean =>
  timeSpan !== undefined && hasFunctionWords && words.every(({ weight }) => weight < 1);

/** Whether a message of this time was written in the time that the question names. */
export const isInTime = ({ timeSpan }: Question, time = 0): boolean =>
  timeSpan !== undefined && isInSpan(time, timeSpan);

export interface QuestionOptions {
  /** Names and numbers count three times. */
  readonly boostsEntities?: boolean;
  /** If given, phrases such as "last week" are recognised. */
  readonly now?: PresentTime;
}

/**
 * By term ID: the index of the word that has the term. Two words can have a term: "Bremse" also stands for
 * "Scheibenbremse". The term then counts for the last of them.
 */
export const wordsByTerm = ({ words }: Question): ReadonlyMap<number, number> =>
  new Map(words.flatMap(({ terms }, word) => terms.map((term) => [term, word] as const)));

/** Whether standing instructions apply: they do not if the question asks about the past. */
export const instructionsApply = ({
  isRequest,
  isRecollection,
  asksAssistant,
}: Question): boolean => isRequest || !(isRecollection || asksAssistant);

/** `text`: in the Unicode form NFC. `languages`: indexes in LANGUAGES of those that the messages are in. */
export function readQuestion(
  text: string,
  vocabulary: Vocabulary,
  languages: readonly number[],
  { boostsEntities = false, now }: QuestionOptions = {},
): Question {
  const entities = boostsEntities ? entitiesOf(text) : undefined;
  const own = languageOf(wordsOf(text), KANA.test(text) ? JAPANESE : 0);
  const all = [...new Set([own, ...languages])];
  const timeSpan = now && namedTimeSpan(text, all, now);
  const typed = wordsOf(timeSpan === undefined ? text : text.replace(timeSpan.phrase, ' '));
  const capitalized = capitalizedIn(text);
  const words: QuestionWord[] = [];
  const positions = new Map<string, number>();
  const pairs: [number, number][] = [];
  let before: number | undefined;
  let hasFunctionWords = false;
  for (const word of typed) {
    const stem = stemOf(word, own);
    if (stem === undefined) {
      hasFunctionWords = true;
      continue;
    }
    let position = positions.get(stem);
    if (position === undefined) {
      if (words.length === MAX_WORDS) break;
      const isLight = isAboutConversation(word, stem, own);
      const weight = entities?.has(word) ? ENTITY_WEIGHT : isLight ? CONVERSATION_WEIGHT : 1;
      const terms = termsFor(word, capitalized.has(word), vocabulary, all);
      position = words.push({ text: word, terms, weight }) - 1;
      positions.set(stem, position);
    }
    if (before !== undefined && before !== position) pairs.push([before, position]);
    before = position;
  }
  const cues = LANGUAGES[own]?.cues ?? {};
  const lower = text.trim().toLowerCase().replaceAll('’', "'");
  const says = (cue: RegExp | undefined) => cue?.test(lower) === true;
  const isRecollection = says(cues.isRecollection);
  const asksForPastOrder = isRecollection && says(cues.isSequence);
  return {
    ...{ text, words, pairs, hasFunctionWords, isRecollection, asksForPastOrder },
    asksAssistant: says(cues.asksAssistant),
    isRequest: !asksForPastOrder && says(cues.isRequest),
    asksForNumber: says(cues.asksForNumber),
    neverTerms: says(cues.asksWhetherEver) ? neverTermsOf(own, vocabulary) : [],
    isOverview: says(cues.isOverview),
    isBroad: says(cues.isOverview) || says(cues.isSequence),
    ...(timeSpan && { timeSpan }),
  };
}

const neverTermsOf = (language: number, vocabulary: Vocabulary): number[] =>
  (LANGUAGES[language]?.neverWords ?? [])
    .map((word) => vocabulary.find(stemOf(word, language) ?? ''))
    .filter((term) => term !== undefined);

/**
 * In keywords, one word such as "yesterday" is a word like others, and "last week" is a time. `languages`:
 * first that of the question. Keywords have too few function words to show theirs.
 */
function namedTimeSpan(
  text: string,
  languages: readonly number[],
  now: PresentTime,
): TimeSpan | undefined {
  for (const language of languages) {
    const span = timeSpanIn(text, LANGUAGES[language], now);
    if (span === undefined) continue;
    if (/\s/.test(span.phrase)) return span;
    if (language === languages[0] && isSentence(text, language)) return span;
  }
  return undefined;
}

/** Whether words of grammar join the words. Japanese writes them in hiragana, without spaces. */
const isSentence = (text: string, language: number): boolean =>
  language === JAPANESE
    ? HIRAGANA.test(text)
    : wordsOf(text).some((word) => stemOf(word, language) === undefined);

/**
 * Returns a test whether the question contains all words of a name, in whatever form and order. Function
 * words of the name do not count; a name that has no other words never matches.
 */
export function namedIn(question: string): (name: string) => boolean {
  const words = wordsOf(question);
  const language = languageOf(words, 0);
  const stemsOf = (typed: readonly string[]) =>
    typed.map((word) => stemOf(word, language)).filter((stem) => stem !== undefined);
  const asked = new Set(stemsOf(words));
  return (name) => {
    const stems = stemsOf(wordsOf(name));
    return stems.length > 0 && stems.every((stem) => asked.has(stem));
  };
}

/** Capitalized words that do not begin a sentence, and numbers, in lower case. */
function entitiesOf(text: string): ReadonlySet<string> {
  const found =
    text.match(/(?=[\p{Lu}\p{N}])(?<![.!?]\s*|^\s*)(?<![\p{L}\p{N}])[\p{L}\p{N}]+/gu) ?? [];
  return new Set(found.map((word) => word.toLowerCase()));
}

const capitalizedIn = (text: string): ReadonlySet<string> =>
  new Set(text.match(/(?<!\p{L})\p{Lu}\p{L}*/gu)?.map((word) => word.toLowerCase()));

const conversationStems = new Map<number, ReadonlySet<string>>();

function isAboutConversation(word: string, stem: string, position: number): boolean {
  const language = LANGUAGES[position];
  let stems = conversationStems.get(position);
  if (stems === undefined) {
    const list = language?.conversationWords ?? [];
    stems = new Set(list.map((listed) => withoutDiacritics(language?.stem(listed) ?? listed)));
    conversationStems.set(position, stems);
  }
  return stems.has(stem) || stems.has(word);
}

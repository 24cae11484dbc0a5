/**
 * A question as recall asks it: its words without the function words, each with all the stems it may
 * have in the languages of the store, and what the question wants, where a cue says so.
 */
import { functionWordMask, LANGUAGES, languageOf } from './languages.js';
import { stemOf, type Vocabulary } from './vocabulary.js';
import { scanWords, withoutMarks, wordsOf } from './words.js';

/** Words beyond are passed over: one bit each. */
const MAX_WORDS = 31;
/** Of a word about the conversation and not about its subject. */
const CONVERSATION_WEIGHT = 0.3;
/** Of a name or a number, where they are to go first. */
const ENTITY_WEIGHT = 3;

/** Only Japanese is written with them. A short question may have too few function words to show it. */
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const JAPANESE = LANGUAGES.findIndex(({ code }) => code === 'ja');

export interface QuestionWord {
  /** As typed, in lower case. */
  readonly text: string;
  /** Numbers of the stems that stand for it; none where no message has it. */
  readonly terms: readonly number[];
  readonly weight: number;
}

export interface Question {
  readonly text: string;
  /** Each once, in the order of the question. */
  readonly words: readonly QuestionWord[];
  /** Places in `words` of two that stand side by side, in their order. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly asksAssistant: boolean;
  readonly isRequest: boolean;
  readonly isRecollection: boolean;
  readonly isOverview: boolean;
  /** The answer is in many places: little of each is better than much of a few. */
  readonly isBroad: boolean;
}

/** Standing instructions apply to whatever asks for an answer now and not for what was said. */
export const isOpen = ({ isRequest, isRecollection, asksAssistant }: Question): boolean =>
  isRequest || !(isRecollection || asksAssistant);

/** `languages`: places in LANGUAGES that messages are in. */
export function readQuestion(
  text: string,
  vocabulary: Vocabulary,
  languages: readonly number[],
  entitiesFirst = false,
): Question {
  const entities = entitiesFirst ? entitiesOf(text) : undefined;
  const typed: string[] = [];
  scanWords(text, (word) => typed.push(word));
  const own = languageOf(typed.map(functionWordMask), KANA.test(text) ? JAPANESE : 0);
  const all = [...new Set([own, ...languages])];
  const words: QuestionWord[] = [];
  const positions = new Map<string, number>();
  const pairs: [number, number][] = [];
  let before: number | undefined;
  for (const word of typed) {
    const stem = stemOf(word, own);
    if (stem === undefined) continue;
    let position = positions.get(stem);
    if (position === undefined) {
      if (words.length === MAX_WORDS) break;
      const isLight = isAboutConversation(word, stem, own);
      const weight = entities?.has(word) ? ENTITY_WEIGHT : isLight ? CONVERSATION_WEIGHT : 1;
      position = words.push({ text: word, terms: termsFor(word, vocabulary, all), weight }) - 1;
      positions.set(stem, position);
    }
    if (before !== undefined && before !== position) pairs.push([before, position]);
    before = position;
  }
  const cues = LANGUAGES[own]?.cues ?? {};
  const lower = text.trim().toLowerCase().replaceAll('’', "'");
  const says = (cue: RegExp | undefined) => cue?.test(lower) === true;
  return {
    ...{ text, words, pairs },
    asksAssistant: says(cues.asksAssistant),
    isRequest: says(cues.isRequest),
    isRecollection: says(cues.isRecollection),
    isOverview: says(cues.isOverview),
    isBroad: says(cues.isOverview) || says(cues.isSequence),
  };
}

/**
 * Whether a name stands in the question: all of its words do, in whatever form and order. Function words of
 * the name do not count; a name that has no others is never there.
 */
export function namedIn(question: string): (name: string) => boolean {
  const words = wordsOf(question);
  const language = languageOf(words.map(functionWordMask), 0);
  const stemsOf = (typed: readonly string[]) =>
    typed.map((word) => stemOf(word, language)).filter((stem) => stem !== undefined);
  const asked = new Set(stemsOf(words));
  return (name) => {
    const stems = stemsOf(wordsOf(name));
    return stems.length > 0 && stems.every((stem) => asked.has(stem));
  };
}

/** Words with a capital that begin no sentence, and numbers, in lower case. */
function entitiesOf(text: string): ReadonlySet<string> {
  const found =
    text.match(/(?<![.!?]\s*|^\s*)(?<![\p{L}\p{N}])(?:\p{Lu}|\p{N})[\p{L}\p{N}]*/gu) ?? [];
  return new Set(found.map((word) => word.toLowerCase()));
}

function termsFor(word: string, vocabulary: Vocabulary, languages: readonly number[]): number[] {
  const terms = new Set<number>();
  for (const language of languages) {
    const stem = stemOf(word, language);
    const term = stem === undefined ? undefined : vocabulary.find(stem);
    if (term !== undefined) terms.add(term);
  }
  return [...terms];
}

const conversationStems = new Map<number, ReadonlySet<string>>();

function isAboutConversation(word: string, stem: string, position: number): boolean {
  const language = LANGUAGES[position];
  let stems = conversationStems.get(position);
  if (stems === undefined) {
    const list = language?.conversationWords ?? [];
    stems = new Set(list.map((listed) => withoutMarks(language?.stem(listed) ?? listed)));
    conversationStems.set(position, stems);
  }
  return stems.has(stem) || stems.has(word);
}

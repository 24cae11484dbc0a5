/**
 * What kind of message it is: a question, a long reply, a standing instruction, a stated preference. The words that
 * show it are in languages/.
 */
import { LANGUAGES } from './languages.js';
import { PASSAGE_WORDS } from './passages.js';
import { HAS_INSTRUCTION_WORD, HAS_PREFERENCE_WORD } from './vocabulary.js';

/** Bits of the flags. */
export const IS_QUESTION = 1;
export const IS_LONG_REPLY = 2;
export const IS_INSTRUCTION = 4;
export const IS_PREFERENCE = 8;
export const IS_ASSISTANT = 16;

/** Cues of instructions and preferences are searched only in this many characters. */
const CUE_CHARS = 100_000;
/** A longer message that ends in a question mark also states something. */
const MAX_QUESTION_WORDS = 30;
const ENDS_IN_QUESTION = /[?？][\s"')\]]*$/;

/** `cueWords`: of `Vocabulary.cueWords`. */
export function flagsOf(
  { role, content }: { readonly role: string; readonly content: string },
  words: number,
  language: number,
  cueWords: number,
): number {
  const isAssistant = role === 'assistant';
  const isUser = role === 'user';
  const { cues = {}, cueWords: known } = LANGUAGES[language] ?? {};
  const mayBe = (bit: number) => isUser && (known === undefined || (cueWords & bit) !== 0);
  const mayInstruct = mayBe(HAS_INSTRUCTION_WORD);
  const mayPrefer = mayBe(HAS_PREFERENCE_WORD);
  const lower = mayInstruct || mayPrefer ? content.slice(0, CUE_CHARS).toLowerCase() : '';
  return (
    (words <= MAX_QUESTION_WORDS && ENDS_IN_QUESTION.test(content) ? IS_QUESTION : 0) |
    (isAssistant ? IS_ASSISTANT : 0) |
    (isAssistant && words > PASSAGE_WORDS ? IS_LONG_REPLY : 0) |
    (mayInstruct && cues.isInstruction?.test(lower) ? IS_INSTRUCTION : 0) |
    (mayPrefer && cues.isPreference?.test(lower) ? IS_PREFERENCE : 0)
  );
}

/** Texts for the error codes of the JSON parser, for the person who corrects the file. */
import { printParseErrorCode } from 'jsonc-parser';

const PROBLEMS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'unexpected text',
  InvalidNumberFormat: 'a number that is not complete',
  PropertyNameExpected: 'a name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'text after the end of the object',
  InvalidCommentToken: 'a comment, which JSON does not have',
  UnexpectedEndOfComment: 'a comment without an end',
  UnexpectedEndOfString: 'a text without its closing quote',
  UnexpectedEndOfNumber: 'a number that is not complete',
  InvalidUnicode: 'a \\u without four hexadecimal digits',
  InvalidEscapeCharacter: 'an unknown character after a backslash',
  InvalidCharacter: 'a control character inside a text',
};

/** `code`: a `ParseErrorCode` of `jsonc-parser`. */
export function jsonProblem(code: number): string {
  return PROBLEMS[printParseErrorCode(code)] ?? 'unexpected text';
}

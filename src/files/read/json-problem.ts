/** The errors for a damaged JSON file, with line, column and a text for the person who corrects it. */
import { type ParseError, parse as parseTolerantly, printParseErrorCode } from 'jsonc-parser';
import { AppError, type ErrorCode } from '../../base/errors.js';
import { lineAndColumn, shownPlace } from '../../base/text/line-and-column.js';

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

export function notUtf8(
  bytes: Uint8Array,
  path: string,
  damaged: ErrorCode,
  cause: unknown,
): AppError {
  // The decoder replaces wrong bytes, so the first difference is the fault. With `stream`, it omits an
  // incomplete character at the end.
  const replaced = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const firstWrong = bytes.findIndex((byte, index) => byte !== replaced[index]);
  const sound = bytes.subarray(0, firstWrong === -1 ? bytes.length : firstWrong);
  const intact = new TextDecoder('utf-8').decode(sound, { stream: true });
  const details = { path, ...lineAndColumn(intact, intact.length) };
  return new AppError(damaged, `${path} is not UTF-8 text at ${shownPlace(details)}.`, {
    hint: 'The file was not changed. If a program wrote it in another encoding, save it as UTF-8 there.',
    details,
    cause,
  });
}

/** In Node 20 the message of JSON.parse has no position. The fault-tolerant parser finds the first fault. */
export function damagedAt(
  text: string,
  path: string,
  damaged: ErrorCode,
  cause: unknown,
): AppError {
  const first = text.trim() === '' ? undefined : firstFault(text);
  const details = {
    path,
    ...lineAndColumn(text, first?.offset ?? 0),
    problem: first === undefined ? 'the file is empty' : first.problem,
  };
  const message = `${path} is not valid JSON at ${shownPlace(details)}: ${details.problem}.`;
  return new AppError(damaged, message, { details, cause });
}

/** A line with which git begins, divides or ends a conflict. */
const CONFLICT_MARKER = /^(?:<{7}|={7}|>{7}|\|{7})/;
const MARKER_LENGTH = 7;

function firstFault(text: string): { offset: number; problem: string } {
  const errors: ParseError[] = [];
  try {
    parseTolerantly(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // The fault-tolerant parser is recursive and can overflow the stack; JSON.parse cannot.
    if (!(error instanceof RangeError)) throw error;
    return { offset: 0, problem: 'nested too deeply' };
  }
  const [first] = errors;
  if (first === undefined) return { offset: 0, problem: 'it is not JSON' };
  const isMarker = CONFLICT_MARKER.test(text.slice(first.offset, first.offset + MARKER_LENGTH));
  const problem = isMarker
    ? 'a conflict marker of git'
    : (PROBLEMS[printParseErrorCode(first.error)] ?? 'unexpected text');
  return { offset: first.offset, problem };
}

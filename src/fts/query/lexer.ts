/**
 * Splits an FTS5 query into lexical symbols, each with its position in the query for error messages.
 * Like FTS5 it stops at a NUL character. `NEAR/5` is Daybook's own second spelling of NEAR.
 */
import { AppError } from '../../base/errors.js';

const OPERATORS = ['AND', 'OR', 'NOT'] as const;
const PUNCTUATION = ['(', ')', '{', '}', ':', ',', '+', '*', '-', '^'] as const;
type Keyword = (typeof OPERATORS)[number] | (typeof PUNCTUATION)[number];
export type SymbolKind = Keyword | 'string' | 'NEAR/' | 'end';

export interface QuerySymbol {
  readonly kind: SymbolKind;
  /** The content of a string without its quotes, or the number of `NEAR/`. */
  readonly text: string;
  readonly quoted: boolean;
  /** Where it begins and where it ends, in UTF-16 units of the query. */
  readonly position: number;
  readonly end: number;
}

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: in FTS5, U+001A is part of a bareword.
const BAREWORD = /[A-Za-z0-9_\x1a\u0080-\uffff]+/y;
const QUOTED = /"(?:[^"]|"")*"/y;
const NEAR_SLASH = /NEAR\/[0-9]+/y;

/** The error for a malformed query: `QUERY_SYNTAX` with `details.position` in UTF-16 units. */
export function querySyntaxError(message: string, position: number): AppError {
  return new AppError('QUERY_SYNTAX', `${message} (at position ${position}).`, {
    details: { position },
  });
}

/** The end of what a sticky pattern matches at `position`; `position` if it matches nothing there. */
function endOf(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : position;
}

function symbolAt(query: string, position: number): QuerySymbol {
  const char = query.charAt(position);
  if (char === '') return { kind: 'end', text: '', quoted: false, position, end: position };
  const sign = PUNCTUATION.find((each) => each === char);
  if (sign !== undefined)
    return { kind: sign, text: sign, quoted: false, position, end: position + 1 };
  if (char === '"') {
    const end = endOf(QUOTED, query, position);
    if (end === position) throw querySyntaxError('The quoted text is not closed', position);
    const text = query.slice(position + 1, end - 1).replaceAll('""', '"');
    return { kind: 'string', text, quoted: true, position, end };
  }
  const nearEnd = char === 'N' ? endOf(NEAR_SLASH, query, position) : position;
  if (nearEnd > position) {
    const text = query.slice(position + 'NEAR/'.length, nearEnd);
    return { kind: 'NEAR/', text, quoted: false, position, end: nearEnd };
  }
  const end = endOf(BAREWORD, query, position);
  if (end === position) throw querySyntaxError(`Syntax error near "${char}"`, position);
  const text = query.slice(position, end);
  const kind = OPERATORS.find((each) => each === text) ?? 'string';
  return { kind, text, quoted: false, position, end };
}

/** The symbols of `query`; the last one has the kind `end`. Throws `QUERY_SYNTAX`. */
export function readSymbols(query: string): QuerySymbol[] {
  const nul = query.indexOf('\0');
  const text = nul < 0 ? query : query.slice(0, nul);
  const symbols: QuerySymbol[] = [];
  for (let position = 0; ; ) {
    const symbol = symbolAt(text, endOf(SPACE, text, position));
    symbols.push(symbol);
    if (symbol.kind === 'end') return symbols;
    position = symbol.end;
  }
}

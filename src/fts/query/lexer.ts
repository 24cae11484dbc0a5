/**
 * Splits an FTS5 query into lexical symbols, each with its position in the query for error messages.
 * Like FTS5 it stops at a NUL character. `NEAR/5` is Daybook's own second spelling of NEAR.
 */
import { AppError } from '../../base/errors.js';

export type SymbolKind =
  | 'string'
  | 'AND'
  | 'OR'
  | 'NOT'
  | 'NEAR/'
  | 'end'
  | '('
  | ')'
  | '{'
  | '}'
  | ':'
  | ','
  | '+'
  | '*'
  | '-'
  | '^';

export interface QuerySymbol {
  readonly kind: SymbolKind;
  /** The content of a string without its quotes, or the number of `NEAR/`. */
  readonly text: string;
  readonly quoted: boolean;
  /** In UTF-16 units of the query. */
  readonly position: number;
}

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: in FTS5, U+001A is part of a bareword.
const BAREWORD = /[A-Za-z0-9_\x1a\u0080-\uffff]+/y;
const QUOTED = /"((?:[^"]|"")*)"/y;
const NEAR_SLASH = /NEAR\/([0-9]+)/y;
const PUNCTUATION = '(){}:,+*-^';

/** The error for a malformed query: `QUERY_SYNTAX` with `details.position` in UTF-16 units. */
export function querySyntaxError(message: string, position: number): AppError {
  return new AppError('QUERY_SYNTAX', `${message} (at position ${position})`, {
    details: { position },
  });
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function symbolAt(query: string, position: number): QuerySymbol & { end: number } {
  const char = query.charAt(position);
  const make = (kind: SymbolKind, text: string, end: number, quoted = false) => ({
    kind,
    text,
    quoted,
    position,
    end,
  });
  if (char === '') return make('end', '', position);
  if (PUNCTUATION.includes(char)) return make(char as SymbolKind, char, position + 1);
  if (char === '"') {
    const found = matchAt(QUOTED, query, position);
    if (found === null) throw querySyntaxError('The quoted text is not closed', position);
    const content = (found[1] ?? '').replaceAll('""', '"');
    return make('string', content, QUOTED.lastIndex, true);
  }
  const near = matchAt(NEAR_SLASH, query, position);
  if (near !== null) return make('NEAR/', near[1] ?? '', NEAR_SLASH.lastIndex);
  const word = matchAt(BAREWORD, query, position)?.[0];
  if (word === undefined) throw querySyntaxError(`Syntax error near "${char}"`, position);
  const kind = word === 'AND' || word === 'OR' || word === 'NOT' ? word : 'string';
  return make(kind, word, position + word.length);
}

/** The symbols of `query`; the last one has the kind `end`. Throws `QUERY_SYNTAX`. */
export function readSymbols(query: string): QuerySymbol[] {
  const nul = query.indexOf('\0');
  const text = nul < 0 ? query : query.slice(0, nul);
  const symbols: QuerySymbol[] = [];
  let position = 0;
  for (;;) {
    position += matchAt(SPACE, text, position)?.[0].length ?? 0;
    const { end, ...symbol } = symbolAt(text, position);
    symbols.push(symbol);
    if (symbol.kind === 'end') return symbols;
    position = end;
  }
}

/**
 * Yields the tokens of a JSON text, also of a damaged one. The scanner of jsonc-parser continues after a
 * fault, and it is not recursive, so deep nesting cannot overflow the stack.
 */
import { createScanner } from 'jsonc-parser';

/**
 * The token kinds that are used here, with their numbers in jsonc-parser, which exports them only as types.
 */
export const TOKEN = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  colon: 6,
  string: 10,
} as const;
const END = 17;

export interface JsonToken {
  readonly kind: number;
  /** The offset of the token in the text. */
  readonly at: number;
  /** The value of a string; empty for other tokens. */
  readonly value: string;
}

export function* jsonTokens(text: string): Generator<JsonToken> {
  const scanner = createScanner(text, true);
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    const value = kind === TOKEN.string ? scanner.getTokenValue() : '';
    yield { kind, at: scanner.getTokenOffset(), value };
  }
}

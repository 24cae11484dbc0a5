/**
 * The tokens of a JSON text, also of a broken one: jsonc-parser's scanner goes on behind a fault, and
 * it is not recursive, so deep nesting does no harm.
 */
import { createScanner } from 'jsonc-parser';

/** The kinds that matter here, by their numbers in jsonc-parser (whose enum exists only for types). */
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
  /** Where it begins in the text. */
  readonly at: number;
  /** Of a string, its value. */
  readonly value: string;
}

export function* jsonTokens(text: string): Generator<JsonToken> {
  const scanner = createScanner(text, true);
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    const value = kind === TOKEN.string ? scanner.getTokenValue() : '';
    yield { kind, at: scanner.getTokenOffset(), value };
  }
}

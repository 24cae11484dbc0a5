/**
 * The hash keys of terms. A key is a pair of 32-bit numbers. Short words of ASCII letters and digits
 * and single characters have unique keys, so that they are compared and stored without their text; other
 * terms have a hash of it. The key of a short word is computed while its characters are read.
 */

export interface TermKey {
  readonly first: number;
  readonly second: number;
}

/** A letter or digit is a digit of this base. Six of them fit in one number of a key. */
export const KEY_BASE = 37;
export const HALF_KEY = 6;
/** Words of at most this many ASCII letters and digits have unique keys. */
export const MAX_KEYED = 2 * HALF_KEY;
/** Second numbers that no such word has, because 37^6 is lower. */
export const BY_TEXT = -1;
const BY_CODE = -2;
/** Of FNV-1a. */
const HASH_PRIME = 0x01000193;

/** The digit of an ASCII letter, in either case, or of an ASCII digit; 0 for any other code unit. */
export const KEY_DIGITS = new Uint8Array(0x10000);
const DIGITS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
for (const [i, char] of DIGITS.entries()) {
  KEY_DIGITS[char.charCodeAt(0)] = i + 1;
  KEY_DIGITS[char.toUpperCase().charCodeAt(0)] = i + 1;
}
/** The characters of each number below the square of the base. */
const PAIRS = ['', ...DIGITS].flatMap((high) => ['', ...DIGITS].map((low) => high + low));

/** The key of any term. A term is not empty and has no capital letters of ASCII. */
export function keyOf(term: string): TermKey {
  let first = 0;
  let second = 0;
  for (let i = 0; i < term.length; i++) {
    const digit = KEY_DIGITS[term.charCodeAt(i)] ?? 0;
    if (digit === 0 || i === MAX_KEYED) return hashKeyOf(term);
    if (i < HALF_KEY) first = (Math.imul(first, KEY_BASE) + digit) | 0;
    else second = (Math.imul(second, KEY_BASE) + digit) | 0;
  }
  return { first, second };
}

function hashKeyOf(term: string): TermKey {
  const code = term.codePointAt(0) ?? 0;
  if (term.length === (code > 0xffff ? 2 : 1)) return { first: code, second: BY_CODE };
  let hash = 0;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), HASH_PRIME);
  return { first: hash, second: BY_TEXT };
}

/** The term of a unique key, and '' if both numbers are 0; `undefined` if the key is a hash. */
export function termOfKey({ first, second }: TermKey): string | undefined {
  if (second === BY_TEXT) return undefined;
  if (second === BY_CODE) return String.fromCodePoint(first);
  let word = '';
  for (const half of [second, first])
    for (let rest = half >>> 0; rest > 0; rest = Math.floor(rest / PAIRS.length))
      word = `${PAIRS[rest % PAIRS.length]}${word}`;
  return word;
}

/** The reader's one pass over a text against the tokenizer and the definition of extended tokens. */
import { describe, expect, it } from 'vitest';
import { Dictionary } from '../../src/search/dictionary.js';
import { DocumentReader } from '../../src/search/document-reader.js';
import { cjkTokens, hasSymbols } from '../../src/search/extended-tokens.js';
import { termsOf, tokenize } from '../../src/search/tokenizer.js';
import { seededRandom } from './fts5-oracle.js';

const SEED = Number(process.env['DAYBOOK_SEED'] ?? Date.now() % 1_000_000_007);
const PARTS = [
  ...[
    'a',
    'Word',
    'internationalisation',
    'INTERNATIONALISATION',
    'abcdef',
    'abcdefg',
    'zzzzzzzzzzzz',
  ],
  ...[
    'x9',
    '日本語',
    '東',
    'é',
    'naïve',
    'e\u0301',
    '\u0301',
    '😀',
    '\ud83d',
    '\u00a0',
    '\u3000',
    '—',
  ],
  ...['.', ':', ',', '/', '++', '#', '_', '--', ' ', ' ', '  ', '\n', '\0', '"', ')', '?'],
];

const chunksOf = (text: string) => text.split(/[ \t\n\v\f\r\u00a0\u3000]/);

/** Each stretch with symbols: the number of its first word, and the stretch with \x01 for every word. */
function stretchesOf(text: string): string[] {
  let words = 0;
  return chunksOf(text).flatMap((chunk) => {
    const firstWord = words;
    let signs = '';
    let copied = 0;
    tokenize(chunk, (_, start, end) => {
      signs += `${chunk.slice(copied, start)}\x01`;
      copied = end;
      words++;
    });
    signs = (signs + chunk.slice(copied)).replaceAll('\0', '\x02').toWellFormed();
    return hasSymbols(chunk) ? [`${firstWord}:${signs}`] : [];
  });
}

/** Texts here have fewer than 128 words: the number of a stretch's first is one byte. */
const readStretches = (symbols: Uint8Array) =>
  Buffer.from(symbols)
    .toString('latin1')
    .split(/\0(?=[\0-\x7f])(?<!\0\0)/)
    .slice(1)
    .map((bytes) => {
      const signs = Buffer.from(bytes.slice(1), 'latin1').toString('utf8');
      return `${bytes.charCodeAt(0)}:${signs}`;
    });

describe('DocumentReader', () => {
  it('finds the words, CJK pairs and words with symbols that their definitions give', () => {
    const random = seededRandom(SEED);
    const dictionary = new Dictionary();
    const reader = new DocumentReader(dictionary, 1);
    for (let run = 0; run < 5000; run++) {
      const text = Array.from({ length: random.below(12) }, () => random.pick(PARTS)).join('');
      const { tokens, starts, symbols } = reader.read([text]);
      const terms = Array.from(tokens, (token) => dictionary.term(token));
      const context = `seed ${SEED} ${JSON.stringify(text)}`;
      expect(terms.slice(0, starts[1]), context).toEqual(termsOf(text));
      expect(terms.slice(starts[1]), context).toEqual(chunksOf(text).flatMap(cjkTokens));
      expect(readStretches(symbols), context).toEqual(stretchesOf(text));
    }
  });
});

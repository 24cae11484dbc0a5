/** The reader's one pass over a text against the tokenizer and the definition of extended tokens. */
import { describe, expect, it } from 'vitest';
import { Dictionary } from '../../src/search/dictionary.js';
import { DocumentReader } from '../../src/search/document-reader.js';
import { cjkTokens, hasSymbols, piecesOf } from '../../src/search/extended-tokens.js';
import { termsOf } from '../../src/search/tokenizer.js';
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

const extendedOf = (text: string) =>
  text.split(/[ \t\n\v\f\r\u00a0\u3000]/).flatMap((chunk) => {
    return [...(hasSymbols(chunk) ? [' ', ...piecesOf(chunk)] : []), ...cjkTokens(chunk)];
  });

describe('DocumentReader', () => {
  it('finds the words and extended tokens that their definitions give', () => {
    const random = seededRandom(SEED);
    const dictionary = new Dictionary();
    const reader = new DocumentReader(dictionary, 1);
    for (let run = 0; run < 5000; run++) {
      const text = Array.from({ length: random.below(12) }, () => random.pick(PARTS)).join('');
      const { tokens, starts } = reader.read([text]);
      const terms = Array.from(tokens, (token) => dictionary.term(token));
      const context = `seed ${SEED} ${JSON.stringify(text)}`;
      expect(terms.slice(0, starts[1]), context).toEqual(termsOf(text));
      expect(terms.slice(starts[1]), context).toEqual(extendedOf(text));
    }
  });
});

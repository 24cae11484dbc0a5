/**
 * The tokenizer reads a text in one pass. It is compared with separate definitions of words, CJK tokens and
 * symbols.
 */
import { describe, expect, it } from 'vitest';
import { Dictionary } from '../../src/fts/terms/dictionary.js';
import { cjkTokens } from '../../src/fts/tokenizing/cjk-bigrams.js';
import {
  DocumentTokenizer,
  MAX_INDEXED_UNITS,
  TokenLists,
} from '../../src/fts/tokenizing/document-tokenizer.js';
import { hasSymbols } from '../../src/fts/tokenizing/symbol-characters.js';
import { termsOf, tokenize } from '../../src/fts/tokenizing/tokenizer.js';
import { wordSplitter } from '../../src/fts/tokenizing/word-splitter.js';
import { randomChoices } from './fts5-oracle.js';

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

/** Each chunk with symbols: the number of its first word, and the chunk with \x01 for every word. */
function symbolChunksOf(text: string): string[] {
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

/** Texts here have fewer than 128 words, so the number of a chunk's first word is one byte. */
const readSymbolChunks = (symbols: Uint8Array) =>
  Buffer.from(symbols)
    .toString('latin1')
    .split(/\0(?=[\0-\x7f])(?<!\0\0)/)
    .slice(1)
    .map((bytes) => {
      const signs = Buffer.from(bytes.slice(1), 'latin1').toString('utf8');
      return `${bytes.charCodeAt(0)}:${signs}`;
    });

/** What the tokenizer appends to the lists after another document. */
function tokensOf(tokenizer: DocumentTokenizer, texts: readonly string[]) {
  const lists = new TokenLists();
  tokenizer.tokenize(['another: a+b 東京'], lists);
  const before = {
    tokens: lists.tokens.count,
    starts: lists.starts.count,
    symbols: lists.symbols.count,
  };
  tokenizer.tokenize(texts, lists);
  const { tokens, starts, symbols } = lists;
  return {
    tokens: tokens.array.slice(before.tokens, tokens.count),
    starts: starts.array.slice(before.starts, starts.count).map((start) => start - before.tokens),
    symbols: symbols.array.slice(before.symbols, symbols.count),
  };
}

describe('DocumentTokenizer', () => {
  it('finds exactly the words, CJK bigrams and words with symbols of their definitions', () => {
    const random = randomChoices(SEED);
    const dictionary = new Dictionary();
    const tokenizer = new DocumentTokenizer(dictionary, 1);
    for (let run = 0; run < 5000; run++) {
      const text = Array.from({ length: random.below(12) }, () => random.pick(PARTS)).join('');
      const { tokens, starts, symbols } = tokensOf(tokenizer, [text]);
      const terms = Array.from(tokens, (token) => dictionary.term(token));
      const context = `seed ${SEED} ${JSON.stringify(text)}`;
      expect(terms.slice(0, starts[1]), context).toEqual(termsOf(text));
      expect(terms.slice(starts[1]), context).toEqual(chunksOf(text).flatMap(cjkTokens));
      expect(readSymbolChunks(symbols), context).toEqual(symbolChunksOf(text));
    }
  });

  it('finds the words of a text of several pieces, which may end anywhere in a word', () => {
    const random = randomChoices(SEED);
    const dictionary = new Dictionary();
    const tokenizer = new DocumentTokenizer(dictionary, 1);
    const { mostUnits } = wordSplitter();
    const shortText = () => Array.from({ length: 20 }, () => random.pick(PARTS)).join('');
    for (let run = 0; run < 60; run++) {
      let text = shortText();
      for (const end of random.pick([[mostUnits, 2 * mostUnits], [3 * mostUnits]])) {
        const filler = random.pick(['word ', 'x', 'é', '語', ' ', 'a+']).repeat(end);
        text += filler.slice(0, end - text.length - random.below(30)) + shortText();
      }
      const { tokens, starts } = tokensOf(tokenizer, [text]);
      const terms = Array.from(tokens.subarray(0, starts[1]), (token) => dictionary.term(token));
      expect(terms, `seed ${SEED}, run ${run}`).toEqual(termsOf(text));
    }
  });

  it('indexes the first four million units of a field', () => {
    const dictionary = new Dictionary();
    const base64 = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo+'.repeat(MAX_INDEXED_UNITS / 36);
    const text = `first ${base64.slice(0, MAX_INDEXED_UNITS - 17)} within beyond last`;
    const { starts } = tokensOf(new DocumentTokenizer(dictionary, 1), [text, 'other']);
    expect(dictionary.find('within')).toBeDefined();
    expect(dictionary.find('other')).toBeDefined();
    expect([dictionary.find('beyond'), dictionary.find('last')]).toEqual([undefined, undefined]);
    expect(starts[1]).toBeLessThan(MAX_INDEXED_UNITS / 36 + 10);
  });
});

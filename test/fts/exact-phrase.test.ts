/**
 * `matchType: exact` with symbols: the whole text is one phrase, with its symbols as typed. The answer may
 * only have documents with the phrase of FTS5 (fts5-differential.test.ts compares it with SQLite); a plain
 * search of the text decides which of them also have the symbols.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextIndex } from '../../src/fts/text-index.js';
import { tokenize } from '../../src/fts/tokenizing/tokenizer.js';

const CHUNKS = [
  ...['follow-up', 'follow', 'up', 'tools', 'a.b', 'a', 'b', 'c++', 'c', '=>', 'foo_bar'],
  ...['foo', 'bar', 'x#1', 'r&d', 'src/a', '.env', 'env', '(follow-up)', 'up,', '--', 'end.'],
];

interface Word {
  readonly term: string;
  readonly start: number;
}

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  tokenize(text, (term, start) => words.push({ term, start }));
  return words;
}

const isSymbolic = (chunk: string) => /[-_#&+/=>]|\.[a-z]/.test(chunk);
const isWordChar = (char: string | undefined) => char !== undefined && /[a-z0-9]/.test(char);

/** Whether `chunk` is in `text` as typed, with `before` words of the text before it. */
function hasChunk(text: string, words: readonly Word[], chunk: string, before: number): boolean {
  for (let at = text.indexOf(chunk); at >= 0; at = text.indexOf(chunk, at + 1)) {
    const isWhole =
      !(isWordChar(chunk[0]) && isWordChar(text[at - 1])) &&
      !(isWordChar(chunk.at(-1)) && isWordChar(text[at + chunk.length]));
    if (isWhole && words.filter(({ start }) => start < at).length === before) return true;
  }
  return false;
}

/** The slow reference: tries every word of the text as the first of the phrase. */
function contains(text: string, typed: readonly string[]): boolean {
  const words = wordsOf(text);
  const wanted = wordsOf(typed.join(' ')).map(({ term }) => term);
  return [...words.keys(), words.length].some((first) => {
    if (wanted.some((term, i) => words[first + i]?.term !== term)) return false;
    let before = first;
    return typed.every((chunk) => {
      const isThere = !isSymbolic(chunk) || hasChunk(text, words, chunk, before);
      before += wordsOf(chunk).length;
      return isThere;
    });
  });
}

const texts = (max: number) =>
  fc.array(fc.constantFrom(...CHUNKS), { minLength: 1, maxLength: max });

describe('exact search with symbols', () => {
  it('finds a phrase with a hyphen only if its words are side by side', () => {
    const index = createTextIndex({ columns: ['text'] });
    index.put(1, { text: 'We need follow-up tools here' });
    index.put(2, { text: 'The follow-up was about garden tools' });
    index.put(3, { text: 'Tools for the follow-up' });
    index.put(4, { text: 'We follow up tools' });
    const { hits } = index.search('follow-up tools', { matchType: 'exact' });
    expect(hits.map(({ id }) => id)).toEqual([1]);
    expect(index.search('follow up tools', { matchType: 'exact' }).total).toBe(2);
  });

  it('does not find a phrase that continues in the next column', () => {
    const index = createTextIndex({ columns: ['title', 'text'] });
    index.put(1, { title: 'a follow-up', text: 'tools' });
    index.put(2, { title: 'a follow-up tools', text: 'none' });
    const { hits } = index.search('follow-up tools', { matchType: 'exact' });
    expect(hits.map(({ id }) => id)).toEqual([2]);
  });

  it('finds the same as a plain search of the text, and never more than the phrase of FTS5', () => {
    let matches = 0;
    fc.assert(
      fc.property(fc.array(texts(8), { minLength: 1, maxLength: 12 }), texts(4), (docs, typed) => {
        const index = createTextIndex({ columns: ['text'] });
        docs.forEach((chunks, id) => {
          index.put(id, { text: chunks.join(' ') });
          if (id === 5) index.freeze();
        });
        const found = (query: string, matchType: 'exact' | 'fts5') =>
          index
            .search(query, { matchType, limit: 100 })
            .hits.map(({ id }) => Number(id))
            .sort((a, b) => a - b);
        const exact = found(typed.join(' '), 'exact');
        const expected = docs.flatMap((chunks, id) =>
          contains(chunks.join(' '), typed) ? id : [],
        );
        const isWords = wordsOf(typed.join(' ')).length > 0;
        if (isWords || typed.some(isSymbolic)) expect(exact).toEqual(expected);
        const phrase = found(`"${typed.join(' ')}"`, 'fts5');
        if (isWords) expect(phrase).toEqual(expect.arrayContaining(exact));
        matches += exact.length;
      }),
      { numRuns: 2_000 },
    );
    expect(matches).toBeGreaterThan(500);
  });
});

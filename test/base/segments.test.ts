/** Segments of texts of any length are the same as those of `Intl.Segmenter`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segmentsOf, wordsOf } from '../../src/base/text/text-segmenter.js';

const cut = (granularity: 'sentence' | 'word', text: string) =>
  [...segmentsOf(granularity, text)].map(({ segment }) => segment);

describe('segments', () => {
  it.each([
    'sentence',
    'word',
  ] as const)('of a long text are the %ss that Intl.Segmenter finds in the whole', (granularity) => {
    const text = 'Ein Satz, der nicht ganz kurz ist. 会議は明日です。Was nun? '.repeat(60);
    const whole = [...new Intl.Segmenter('en', { granularity }).segment(text)];
    expect(cut(granularity, text)).toEqual(whole.map(({ segment }) => segment));
  });

  it('a word may be longer than the window that is segmented at once', () => {
    const word = 'a'.repeat(1700);
    expect(cut('word', `${word} b`)).toEqual([word, ' ', 'b']);
    expect(cut('sentence', `${'so on '.repeat(400)}end. Next one.`)).toHaveLength(2);
    expect(cut('word', '')).toEqual([]);
  });

  it('of a book without spaces take time in proportion to its length', () => {
    const book = '会議は明日です。'.repeat(40_000);
    const words = cut('word', book);
    expect(words.join('')).toBe(book);
    expect(words.length).toBeGreaterThan(100_000);
  });

  it('a long line of underscores has no words', () => {
    // It would take hours if the time were quadratic.
    expect(wordsOf(`${'_'.repeat(500_000)} __a_`)).toEqual(['__a_']);
  });

  it('are the same words for Latin text, which is split without the segmenter', () => {
    const intl = new Intl.Segmenter('en', { granularity: 'word' });
    const byIntl = (text: string) =>
      [...intl.segment(text)]
        .filter(({ segment, isWordLike }) => isWordLike && /[\p{L}\p{N}]/u.test(segment))
        .map(({ segment }) => segment);
    const characters = ` \t\u00a0§«°»abZ_019.:,;-'’‘“”„…–—()?!"@/#×÷éßŁ`;
    const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 30 });
    fc.assert(
      fc.property(text, (line) => {
        expect(wordsOf(line)).toEqual(byIntl(line));
      }),
      { numRuns: 2000 },
    );
    const range = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => String.fromCharCode(from + at));
    for (const sign of [...range(0x20, 0x300), ...range(0x2000, 0x2070)]) {
      const line = `a${sign}b 1${sign}2 a${sign}1`;
      expect(wordsOf(line), line).toEqual(byIntl(line));
    }
    const mixed = `It's foo_bar 3.14 at example.com; 会議は明日です`;
    expect(wordsOf(mixed)).toEqual(byIntl(mixed));
  });
});

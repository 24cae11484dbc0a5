/** Segments of texts of any length, as `Intl.Segmenter` gives those of short ones. */
import { describe, expect, it } from 'vitest';
import { segmentsOf } from '../../src/base/segments.js';

const cut = (granularity: 'sentence' | 'word', text: string) =>
  [...segmentsOf(granularity, text)].map(({ segment }) => segment);

describe('segments', () => {
  it.each(['sentence', 'word'] as const)('of a long text are its %ss', (granularity) => {
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

  it('of a book without spaces cost no more than its length', () => {
    const book = '会議は明日です。'.repeat(40_000);
    const words = cut('word', book);
    expect(words.join('')).toBe(book);
    expect(words.length).toBeGreaterThan(100_000);
  });
});

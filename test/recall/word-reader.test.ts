/** The fast reader finds the words that `scanWords` finds, in texts of every script. */
import { describe, expect, it } from 'vitest';
import { languageOf } from '../../src/recall/languages.js';
import { Vocabulary } from '../../src/recall/vocabulary.js';
import { scanWords } from '../../src/recall/words/words.js';
import { seededRandom } from '../support/seeded-random.js';

const LONG = 'x'.repeat(70);
const PARTS = [
  ...['the', 'Garden', 'WALL', 'naïve', 'Straße', 'STRAẞE', 'I', 'don’t', 'e\u0301te\u0301', '№5'],
  ...[
    '東京タワー',
    '㎏',
    'ｱｲｳ',
    'abc漢字def',
    '𠮷野家',
    'ﬁne',
    'и',
    'Москва',
    'İstanbul',
    '\u0301',
  ],
  ...['2026', '3.5', 'C++', '—', '…', '\u00a0', '\ud800', '😀', '\n', ' ', LONG, `${LONG}ä`, 'y2k'],
  ...['und', 'der', 'le', 'que', 'non', 'het', 'ein', 'les', 'una'],
];

function wordsAndReached(text: string) {
  const words: string[] = [];
  const reached: number[] = [];
  let read = 0;
  scanWords(text, (word, _start, _end, weight) => {
    words.push(word);
    reached.push(read * 2);
    read += weight;
  });
  return { words, reached, read };
}

describe('the reader of words', () => {
  it('finds what scanWords finds, whatever stands side by side', () => {
    const random = seededRandom(12);
    const vocabulary = new Vocabulary();
    const { reader } = vocabulary;
    for (let round = 0; round < 3_000; round += 1) {
      const count = 1 + Math.floor(random() * 8);
      const part = () => PARTS[Math.floor(random() * PARTS.length)] ?? '';
      const glue = round % 2 === 0 ? ' ' : '';
      const text = Array.from({ length: count }, part).join(glue);
      const expected = wordsAndReached(text);
      reader.clear();
      reader.add(text);
      const numbers = [...reader.words.array.subarray(0, reader.words.count)];
      expect([text, numbers.map((number) => vocabulary.word(number))]).toEqual([
        text,
        expected.words.map((word) => word.slice(0, 64)),
      ]);
      expect(numbers.map((_, word) => reader.readBefore(word))).toEqual(expected.reached);
      expect(reader.read / 2).toBe(expected.read);
      expect(vocabulary.languageOf(1)).toBe(languageOf(expected.words, 1));
    }
  });
});

/** Proves that the quick ways to a title end where the rules for words and sentences say. */
import { expect, it } from 'vitest';
import { titleOf } from '../../../src/stores/conversations/document/title.js';

const WORDS =
  "plank garden-shed larch’s https://larch.example/a/b?c=d 3,14 door_frame (roof) “rain” おはよう世界 สวัสดีชาวโลก don't".split(
    ' ',
  );

/** Segment by segment from the beginning. */
function titleBySegments(line: string): string {
  const segments = (granularity: 'word' | 'sentence', text: string) =>
    [...new Intl.Segmenter('en', { granularity }).segment(text)].map(({ segment }) => segment);
  const sentence = (segments('sentence', line)[0] ?? line).trim().replace(/(?<![.。])[.。]$/u, '');
  if (sentence.length <= 80) return sentence;
  let end = 0;
  for (const segment of segments('word', sentence)) {
    if (end + segment.length >= 80) break;
    end += segment.length;
  }
  return `${(end > 0 ? sentence.slice(0, end) : sentence.slice(0, 40)).trimEnd()}…`;
}

it('cuts lines of any script at the end of a word or a sentence', () => {
  for (let start = 0; start < WORDS.length; start += 1) {
    for (let count = 1; count < 30; count += 1) {
      const step = 1 + (count % 7);
      const line = Array.from(
        { length: count },
        (_, at) => WORDS[(start + at * step) % WORDS.length] + (at % 9 === 8 ? '. And' : ''),
      ).join(' ');
      expect(titleOf(line)).toBe(titleBySegments(line));
    }
  }
  for (const word of ['x'.repeat(200), `${'x'.repeat(90)} plank`])
    expect(titleOf(word)).toBe(titleBySegments(word));
});

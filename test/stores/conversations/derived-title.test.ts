/** The fast ways to a title end at the same place as the rules for words and sentences. */
import { expect, it } from 'vitest';
import { sentencesIn } from '../../../src/base/text/text-segmenter.js';
import { titleOf } from '../../../src/stores/conversations/document/derived-title.js';

const WORDS =
  "plank garden-shed larch’s https://larch.example/a/b?c=d 3,14 door_frame (roof) “rain” おはよう世界 สวัสดีชาวโลก don't".split(
    ' ',
  );

/** Segment by segment from the beginning. */
function titleBySegments(line: string): string {
  const wordsIn = (text: string) =>
    [...new Intl.Segmenter('en', { granularity: 'word' }).segment(text)].map((one) => one.segment);
  const [first = line] = sentencesIn(line);
  const sentence = first.trim().replace(/(?<![.。])[.。]$/u, '');
  if (sentence.length <= 80) return sentence;
  let end = 0;
  for (const segment of wordsIn(sentence)) {
    if (end + segment.length >= 80) break;
    end += segment.length;
  }
  return `${(end > 0 ? sentence.slice(0, end) : sentence.slice(0, 40)).trimEnd()}…`;
}

it('a title ends after a word or a sentence in any script', () => {
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

it.each([
  ['Frag bitte Dr. Weber nach dem Termin. Danke!', 'Frag bitte Dr. Weber nach dem Termin'],
  ['Why does a != b return true? I expect false.', 'Why does a != b return true?'],
  ['Read https://x.example/list?page=2 first', 'Read https://x.example/list?page=2 first'],
  ['What is .NET? I do not know it.', 'What is .NET?'],
])('a title does not end inside a word or after the title of a person: %s', (content, title) => {
  expect(titleOf(content)).toBe(title);
});

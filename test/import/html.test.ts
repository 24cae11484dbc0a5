/** Answers in HTML become text with Markdown, in time that grows with their length. */
import { expect, it } from 'vitest';
import { textOfHtml } from '../../src/import/reading/text/html.js';
import { leastCpuMs } from '../support/cpu-time.js';

it('a link becomes its text and its address, or one of them if they are equal', () => {
  expect(textOfHtml('See <a class="x" href="https://a.example/?b=1&amp;c">the shed</a>.')).toBe(
    'See [the shed](https://a.example/?b=1&c).',
  );
  expect(textOfHtml('<a href="https://a.example">https://a.example</a>')).toBe('https://a.example');
  expect(textOfHtml('<a href="javascript:x()">the shed</a> <a>door</a>')).toBe('the shed door');
});

it('a name that is no entity stays, also if every object has a property of this name', () => {
  expect(textOfHtml('T &constructor; &lt; &amp;')).toBe('T &constructor; < &');
});

it('a tag that never ends is read in time proportional to its length', async () => {
  const cpuMs = (count: number) => {
    const html = `<a ${'href="https:x" '.repeat(count)}`;
    return leastCpuMs(() => textOfHtml(html));
  };
  const short = Math.max(await cpuMs(4_000), 1);
  // 16 times as long: the square would be 256 times.
  expect((await cpuMs(64_000)) / short).toBeLessThan(80);
});

it('a long row of spaces is read in time proportional to its length', () => {
  // It would take hours if the time were quadratic.
  const spaces = ' '.repeat(1_000_000);
  expect(textOfHtml(`a${spaces}b<br>c \t<br>d`)).toBe(`a${spaces}b\nc\nd`);
});

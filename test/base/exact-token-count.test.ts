/** The count of tokens: exact, and fast also for texts without spaces. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { tokenCounter } from '../../src/base/text/exact-token-count.js';
import { leastCpuMs } from '../support/cpu-time.js';

const TIMES = 10;

/** The processor time of counting, in milliseconds. */
async function costOf(text: string): Promise<number> {
  const count = await tokenCounter();
  return leastCpuMs(() => count(text));
}

describe('the count of tokens', () => {
  it.each([
    'Why is a raven like a writing-desk? <|endoftext|>',
    `${'word'.repeat(200)} 日本語の文章です。\r\n\tשלום 😀 ----- 1234567`,
    ' '.repeat(900),
    '',
  ])('is equal to that of the tokenizer: %#', async (text) => {
    const count = await tokenCounter();
    expect(count(text)).toBe(countTokens(text, { disallowedSpecial: new Set() }));
  });

  it.each([
    ['letters', 'word'],
    ['ideographs', '漢字'],
    ['signs', '=-'],
    ['white space', ' \t'],
    ['emoji', '😀'],
  ])('takes a time that grows with the length of a run of %s', async (_, part) => {
    const run = part.repeat(10_000 / part.length);
    const once = await costOf(run);
    // With the square of the length it would be a hundred times as long.
    expect(await costOf(run.repeat(TIMES))).toBeLessThan(once * TIMES * 4 + 100);
  });

  it('counts a long run almost exactly', async () => {
    const count = await tokenCounter();
    const run = 'word'.repeat(2000);
    const exact = countTokens(run);
    expect(count(run)).toBeGreaterThanOrEqual(exact);
    expect(count(run)).toBeLessThan(exact + 10);
  });
});

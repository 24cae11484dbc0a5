/** The estimate of tokens, and how many items fit. */
import { describe, expect, it } from 'vitest';
import { countWithin, estimateTokens, maxTokens } from '../../src/tools/answer-budget.js';

describe('the budget of an answer', () => {
  it('counts four characters of ASCII to a token, and every other as one', () => {
    expect(estimateTokens('abcdef')).toBe(2); // with the quotes
    expect(estimateTokens('漢字')).toBe(3);
    expect(estimateTokens({ a: 1 })).toBe(2);
    expect(estimateTokens(undefined)).toBe(0);
  });

  it('takes items while there is room, and at least one', () => {
    const item = 'x'.repeat(398); // 100 tokens, and one for the comma
    expect(countWithin(Array(100).fill(item), 1210)).toBe(10);
    expect(countWithin(['x'.repeat(100_000), item], 500)).toBe(1);
    expect(countWithin([], 500)).toBe(0);
  });

  it('is 8 000 tokens unless told otherwise, and 25 000 at most', () => {
    expect(maxTokens.parse(undefined)).toBe(8_000);
    expect(maxTokens.safeParse(25_001).success).toBe(false);
  });
});

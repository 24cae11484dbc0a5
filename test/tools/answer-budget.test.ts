/** How many items fit into an answer. */
import { describe, expect, it } from 'vitest';
import { countWithin, maxTokens } from '../../src/tools/answers/answer-budget.js';

describe('the budget of an answer', () => {
  it('accepts items while there is room, and at least one', () => {
    const item = 'x'.repeat(398); // 100 tokens with its quotes, and one for the comma
    const items: string[] = Array(100).fill(item);
    expect(countWithin(items, 200 + 1010)).toBe(10);
    expect(countWithin(items, 200 + 1009)).toBe(9);
    expect(countWithin(['x'.repeat(100_000), item], 500)).toBe(1);
    expect(countWithin([undefined], 500)).toBe(1);
    expect(countWithin([], 500)).toBe(0);
  });

  it('is 8 000 tokens by default and 25 000 at most', () => {
    expect(maxTokens.parse(undefined)).toBe(8_000);
    expect(maxTokens.safeParse(25_001).success).toBe(false);
  });
});

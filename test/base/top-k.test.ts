import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstSorted, TopK } from '../../src/base/arrays/top-k.js';

const ascending = (a: number, b: number) => a - b;
const numbers = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 200 });
const limits = fc.integer({ min: 0, max: 30 });

describe('TopK', () => {
  it('keeps the same items as sorting and cutting', () => {
    fc.assert(
      fc.property(numbers, limits, (items, limit) => {
        const expected = [...items].sort(ascending).slice(0, limit);
        const top = new TopK(limit, ascending);
        for (const item of items) top.offer(item);
        expect(top.sorted()).toEqual(expected);
        expect(firstSorted([...items], limit, ascending)).toEqual(expected);
        if (limit > 0 && items.length >= limit) expect(top.last).toBe(expected.at(-1));
      }),
    );
  });

  it('has no last item before it is full', () => {
    const top = new TopK(2, ascending);
    top.offer(7);
    expect(top.last).toBeUndefined();
    top.offer(9);
    expect(top.last).toBe(9);
    top.offer(8);
    expect(top.last).toBe(8);
  });
});

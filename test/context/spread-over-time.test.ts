/** The order in which the strategy `temporal` selects passages. */
import { expect, it } from 'vitest';
import { spreadOverTime } from '../../src/context/snippets/spread-over-time.js';

it('spreadOverTime takes the best passage of each period, then the second best of each', () => {
  const days = [7, 3, 16, 1, 12, 9, 5, 14, 2, 4, 6, 8, 10, 11, 13, 15]; // the best first
  const hits = days.map((day) => ({
    createdAt: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
  }));
  const order = spreadOverTime(hits).map(({ createdAt }) => Number(createdAt.slice(8, 10)));
  expect(order.slice(0, 8)).toEqual([7, 3, 16, 1, 12, 9, 5, 14]);
  expect(order.slice(8)).toEqual([2, 4, 6, 8, 10, 11, 13, 15]);
});

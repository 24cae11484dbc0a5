/** How many writes run at once, and what happens if one fails. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { WriteSlots } from '../../src/files/write-slots.js';

it('runs at most as many writes at once as its limits allow, and a large one alone', async () => {
  const slots = new WriteSlots({ atOnce: 3, weight: 10 });
  let running = 0;
  const seen: number[] = [];
  for (const weight of [1, 1, 1, 1, 8, 8, 50, 1]) {
    await slots.add(weight, async () => {
      running += 1;
      seen.push(running);
      await pause(5);
      running -= 1;
    });
  }
  await slots.settled();
  expect(seen).toHaveLength(8);
  expect(Math.max(...seen)).toBe(3);
  expect(seen[5]).toBe(1);
  expect(seen[6]).toBe(1);
});

it('waits for all started writes, and then throws the first failure', async () => {
  const slots = new WriteSlots({ atOnce: 4, weight: 10 });
  let ended = 0;
  await slots.add(1, async () => {
    await pause(5);
    ended += 1;
  });
  await slots.add(1, () => Promise.reject(new Error('full')));
  await slots.settled();
  expect(ended).toBe(1);
  expect(() => slots.throwIfFailed()).toThrow('full');
  await expect(slots.add(1, () => Promise.resolve())).rejects.toThrow('full');
});

/** How the time of a query grows with the number of its words. */
import { expect, test } from 'vitest';
import { leastCpuMs } from '../../support/cpu-time.js';
import { openGraph, PAGE } from './graph.js';

test('words after one that no fact has cost next to nothing', async () => {
  const { graph } = openGraph();
  const part = (index: number, name: string) => `${name} ${index} of a street near the old harbour`;
  await graph.add(
    Array.from({ length: 4000 }, (_, index) => {
      return {
        subject: part(index, 'House'),
        predicate: 'stands beside',
        object: part(index, 'Shop'),
      };
    }),
  );
  const find = async (text: string) => expect((await graph.query({ text }, PAGE)).total).toBe(0);
  const words = Array.from({ length: 200 }, (_, index) => `windmill${index}`);
  const one = await leastCpuMs(() => find('windmill'));
  expect(await leastCpuMs(() => find(words.join(' ')))).toBeLessThan(10 * Math.max(one, 2));
}, 60_000);

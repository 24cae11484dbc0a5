/** Recall for short texts that stand alone, such as notes and facts. */
import { expect, it } from 'vitest';
import { ShortTextRecall } from '../../src/recall/short-text-recall.js';
import { blockedCpuMs } from '../support/cpu-time.js';

const PEOPLE = ['people', 'Mary knows Ada'] as const;
const CODE = ['code', 'The retry loop sleeps'] as const;

it('a short text that has only words about the conversation does not answer', async () => {
  const recall = new ShortTextRecall();
  const idsOf = async (question: string) =>
    (await recall.ask(question, [PEOPLE, CODE], { limit: 9 })).ids;
  expect(await idsOf('What should I know about the retry loop?')).toEqual(['code']);
  expect(await idsOf('Who knows whom?')).toEqual(['people']);
});

it('each of several calls at the same time is answered from its own texts', async () => {
  const recall = new ShortTextRecall();
  const asked = [[PEOPLE], [PEOPLE, CODE], [CODE]].map((texts) =>
    recall.ask('Mary sleeps', texts, { limit: 9 }),
  );
  const found = await Promise.all(asked);
  expect(found.map(({ total, ids }) => [total, [...ids].sort()])).toEqual([
    [1, ['people']],
    [2, ['code', 'people']],
    [1, ['code']],
  ]);
});

it('other tasks run while many texts are indexed', async () => {
  const words = 'larch plank door window roof nail hammer paint'.repeat(20);
  const texts = Array.from({ length: 4000 }, (_, at) => [`${at}`, `${at} ${words}`] as const);
  const recall = new ShortTextRecall();
  const { longest, all } = await blockedCpuMs(() => recall.ask('hammer', texts, { limit: 9 }));
  expect(longest).toBeLessThan(all / 3);
});

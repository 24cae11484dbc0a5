/** Recall for short texts that stand alone, such as notes and facts. */
import { expect, it } from 'vitest';
import { ShortTextRecall } from '../../src/recall/short-text-recall.js';

it('a short text that has only words about the conversation does not answer', async () => {
  const recall = new ShortTextRecall();
  recall.sync(
    new Map([
      ['people', 'Mary knows Ada'],
      ['code', 'The retry loop sleeps'],
    ]),
  );
  const idsOf = async (question: string) => (await recall.ask(question, { limit: 9 })).ids;
  expect(await idsOf('What should I know about the retry loop?')).toEqual(['code']);
  expect(await idsOf('Who knows whom?')).toEqual(['people']);
});

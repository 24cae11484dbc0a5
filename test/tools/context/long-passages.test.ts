/** Passages that are longer than the budget: the part around the words of the question is returned. */
import { expect, it, onTestFinished } from 'vitest';
import { openDaybook } from '../../../src/api/open-daybook.js';
import { getRelevantSnippets } from '../../../src/tools/context/get-relevant-snippets.js';
import { tempFolder } from '../../support/temp-folder.js';

it.each([50, 100, 140])('a snippet of at most %i tokens has the answer', async (maxTokens) => {
  const daybook = await openDaybook({ root: tempFolder() });
  onTestFinished(() => daybook.close());
  const around = 'Lorem ipsum dolor sit amet. '.repeat(100);
  const content = `${around}The code of the safe is blue seventeen. ${around}`;
  await daybook.call('save_message', { role: 'user', content });
  const found = getRelevantSnippets.output.parse(
    await daybook.call('get_relevant_snippets', { query: 'the code of the safe', maxTokens }),
  );
  expect(found.snippets.map(({ text }) => text)).toEqual([expect.stringContaining('seventeen')]);
  expect(found.omitted).toBe(0);
  expect(found.tokensUsed).toBeLessThanOrEqual(maxTokens);
});

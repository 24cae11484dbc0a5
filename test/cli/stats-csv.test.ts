/** The cells of `daybook stats --csv`. */
import { expect, it } from 'vitest';
import { csvOf } from '../../src/cli/views/stats-csv.js';
import type { Answer } from '../../src/cli/views/stats-lines.js';

it('a name that a spreadsheet would read as a formula gets an apostrophe, also after white space', () => {
  const sums = { conversations: 1, messages: 1, words: 1, tokens: 1, billedTokens: 0, costs: [] };
  const names = ['plain', '=1+1', ' =1+1', '\t@a', '\n-1'];
  const answer = { modules: names.map((name) => ({ name, ...sums })) } as unknown as Answer;
  const cells = csvOf(answer, 'modules')
    .split('\n')
    .map((line) => line.split(',')[0]);
  expect(cells).toEqual(['name', 'plain', "'=1+1", "'=1+1", "'@a", "'-1"]);
});

/** Code blocks around texts that have code blocks themselves. */
import { expect, it } from 'vitest';
import { fenced } from '../../src/base/text/code-block.js';

it('a code block has a fence that is longer than every fence in its text', () => {
  expect(fenced('a', 'js')).toBe('```js\na\n```');
  expect(fenced('````\na\n````\n')).toBe('`````\n````\na\n````\n`````');
  const text = '```\n'.repeat(300_000);
  expect(fenced(text).startsWith('````\n```\n')).toBe(true);
});

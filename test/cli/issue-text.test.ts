/** The sentences about wrong values of options and arguments. */
import { expect, it } from 'vitest';
import { z } from 'zod';
import { invalidInput } from '../../src/cli/tools/issue-text.js';

it.each([
  [z.string().max(1), 'ab', 'at most 1 character.'],
  [z.string().max(2), 'abc', 'at most 2 characters.'],
  [z.string().min(2), 'a', '2 characters or more.'],
])('count characters in the right number', (schema, value, end) => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  expect(invalidInput('--sign', issue).message).toBe(`--sign must have ${end}`);
});

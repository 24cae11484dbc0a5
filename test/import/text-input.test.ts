/** A text that is imported without a file: its name is only a name, and no file is opened for it. */
import { expect, it } from 'vitest';
import { textInput } from '../../src/files/input/text-input.js';
import { sourceOf } from '../../src/import/detect-source.js';
import { errorOf } from '../support/error-of.js';

it.each([
  'import.json',
  '/etc/hostname',
  '/nope/missing',
  '/tmp',
])('a text of no known format, named %s, is refused without opening a file', async (name) => {
  const { code, message } = await errorOf(sourceOf(textInput(name, 'hello', 0)));
  expect(code).toBe('VALIDATION_ERROR');
  expect(message).toContain('has a format that Daybook does not support');
});

it.each([
  ['{"a": 1}', 'json'],
  ['[{"a": 1}, {"b"', 'json'],
  ['{\n  "a": 1\n}', 'json'],
  ['{"a": 1}\n{"b": 2}\n', 'jsonl'],
  ['[Chat](http://x)\n\n## User\n\nhi', 'md'],
  ['hello', 'md'],
])('the generated name of the text %s ends with .%s', (text, extension) => {
  expect(textInput(undefined, text, 0).files[0]?.name).toMatch(
    new RegExp(`^text-[0-9a-f]{16}\\.${extension}$`),
  );
});

it.each([
  [undefined, 'The text to import is empty.'],
  ['chats.json', 'chats.json is empty.'],
])('an empty text, named %s, is refused', async (name, expected) => {
  const { code, message } = await errorOf(sourceOf(textInput(name, '', 0)));
  expect({ code, message }).toEqual({ code: 'VALIDATION_ERROR', message: expected });
});

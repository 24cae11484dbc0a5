/** Documents that are read element by element; lines of JSON are recognised by their beginning. */
import { expect, it } from 'vitest';
import { jsonElements } from '../../src/files/input/json-elements.js';

it('stops at the second of many lines, because lines are no document', async () => {
  let chunks = 0;
  async function* lines() {
    for (; chunks < 1000; chunks += 1) yield Buffer.from(`{"line": [${chunks}, "}"]}\n`);
  }
  const found = [];
  for await (const element of jsonElements(lines())) found.push(element);
  expect(found).toEqual([{ index: -1, text: undefined }]);
  expect(chunks).toBeLessThan(3);
});

it.each([
  ['{"a": "}{"}\n \n', [{ index: -1, text: '{"a": "}{"}' }]],
  ['\ufeff{"a": [1]}', [{ index: -1, text: '{"a": [1]}' }]],
  ['{"a": 1}, {"b": 2}', [{ index: -1, text: undefined }]],
  ['"text"', [{ index: -1, text: '"text"' }]],
  ['[{"a": 1}, 2] more', [1, 2].map((_, index) => ({ index, text: ['{"a": 1}', '2'][index] }))],
  ['\ufeff[3]', [{ index: 0, text: '3' }]],
])('splits the array %j', async (text, expected) => {
  async function* bytes() {
    yield Buffer.from(text);
  }
  const found = [];
  for await (const element of jsonElements(bytes())) found.push(element);
  expect(found).toEqual(expected);
});

/** A large document that is parsed in steps has the same value as with JSON.parse, or is left to JSON.parse. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { documentSteps } from '../../src/files/read/json-document.js';
import { largeDocumentSteps } from '../../src/files/read/large-document.js';

/** The value, and the number of pauses. */
function read(text: string | Buffer) {
  const steps = largeDocumentSteps(Buffer.from(text as string), 'messages');
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done) return { value: step.value, pauses };
  }
}

const UNDERSTOOD = [
  '{"messages":[]}',
  ' {\r\n\t"messages" : [ ] } \n',
  '\uFEFF{"a":1,"messages":[1,2],"z":{"messages":[3]}}',
  '{"a":{"messages":[9]},"b":"\\"messages\\":[","messages":[{"content":"] , } \\\\\\" [","n":[1,[2]]}]}',
  '{"messages":1,"messages":["é","😀","\\ud800","\\u0000"]}',
  '{"__proto__":1,"messages":[{"__proto__":2}],"constructor":3}',
  `{"messages":["${'\\\\'.repeat(40)}","${'x'.repeat(31)}\\"y","${'x'.repeat(32)}\\"","${'"\\'.repeat(0)}"]}`,
];

it.each(UNDERSTOOD)('parses %j like JSON.parse', (text) => {
  const expected: unknown = JSON.parse(text.replace('\uFEFF', ''));
  const { value } = read(text);
  expect(value).toEqual(expected);
  expect(Object.keys(value ?? {})).toEqual(Object.keys(expected as object));
});

const LEFT = [
  '',
  '[1]',
  '{"other":[1]}',
  '{"messages":{"a":[1]}}',
  '{"\\u006dessages":[1]}',
  '{"messages":[1],"messages":2}',
  '{"messages":[1],"\\u006dessages":[2]}',
  '{"messages":[1,]}',
  '{"messages":[,1]}',
  '{"messages":[1,,2]}',
  '{"messages":[1}',
  '{"messages":[1]',
  '{"messages":[1]}}',
  '{"messages":[{"a":1]}',
  '{"messages":["a]}',
  '{"messages":[1 2]}',
  '{"messages":[\uFEFF1]}',
  '{"a","messages":[1]}',
  '{"messages":[1]} {"a":2}',
];

it.each(LEFT)('returns undefined for %j, which JSON.parse then reads', (text) => {
  expect(read(text).value).toBeUndefined();
});

it('returns undefined for bytes that are not UTF-8', () => {
  const bytes = Buffer.from('{"messages":["a?b"]}');
  bytes[bytes.indexOf(0x3f)] = 0xff;
  expect(read(bytes).value).toBeUndefined();
});

it('has the same result as JSON.parse for any document, also a damaged one', () => {
  const document = fc.record({
    head: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
    messages: fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }),
    tail: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
    indent: fc.constantFrom(undefined, 1, '\t'),
    cut: fc.option(fc.nat(400)),
  });
  fc.assert(
    fc.property(document, ({ head, messages, tail, indent, cut }) => {
      const whole = JSON.stringify({ ...head, messages, ...tail }, null, indent);
      const text = cut === null ? whole : whole.slice(0, cut) + whole.slice(cut + 1);
      const { value } = read(text);
      if (value !== undefined) expect(value).toEqual(JSON.parse(text.toWellFormed()));
      else if (cut === null) expect(Array.isArray(JSON.parse(text).messages)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

const message = { role: 'user', content: 'The river "rises" in the hills. '.repeat(60) };
const large = { title: 'x', messages: Array.from({ length: 2000 }, () => message), end: [1] };

it.each([undefined, 2])('parses a large document in steps, indented by %s', (indent) => {
  const text = JSON.stringify(large, null, indent);
  const { value, pauses } = read(text);
  expect(value).toEqual(large);
  expect(pauses).toBeGreaterThanOrEqual(Math.floor(text.length / 300_000));
});

it('reports the position of the fault in a large document', () => {
  const text = JSON.stringify(large, null, 2).replace('"end": [', '"end": [,');
  const steps = documentSteps(Buffer.from(text), 'messages', 'f.json', 'CONVERSATION_CORRUPTED');
  const toEnd = () => {
    while (!steps.next().done);
  };
  const line = text.split('\n').findIndex((each) => each.includes('[,')) + 1;
  expect(toEnd).toThrow(`f.json is not valid JSON at line ${line}`);
});

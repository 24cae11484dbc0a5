/**
 * JSON that people edit: valid values are returned unchanged, and faults are reported with their position.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { parseDocument } from '../../src/files/read/json-document.js';

const parse = (text: string | Buffer) => parseDocument(Buffer.from(text as string), 'p', 'CORRUPT');
const placeOf = (text: string | Buffer) => {
  try {
    parse(text);
  } catch (error) {
    if (!isAppError(error, 'CORRUPT')) throw error;
    return [error.details?.['line'], error.details?.['column']];
  }
  return undefined;
};

describe('parseDocument', () => {
  it('accepts a byte-order mark and CRLF', () => {
    expect(parse('\ufeff{\r\n  "a": "b\\r\\nc"\r\n}\r\n')).toEqual({ a: 'b\r\nc' });
  });

  it('keeps half surrogate pairs, and __proto__ as a normal key', () => {
    expect(parse('["\\ud800", "\\udc00x"]')).toEqual(['\ud800', '\udc00x']);
    const value = parse('{"__proto__": {"polluted": true}}') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('returns every JSON value unchanged', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['', 1, 1],
    [' \n ', 1, 1],
    ['\ufeff', 1, 1],
    ['{"a": 1,}', 1, 9],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{\r\n  "a": x\r\n}', 2, 8],
    ['[1, 2', 1, 6],
    ['{"a" 1}', 1, 6],
    ['1 2', 1, 3],
    ['\ufeff// no\n1', 1, 1],
    ["'a'", 1, 1],
    ['[\n"a\tb"]', 2, 1],
    ['['.repeat(200_000), 1, 1],
  ])('reports the position of the fault in %j', (text, line, column) => {
    expect(placeOf(text)).toEqual([line, column]);
  });

  it.each([
    ['"a\n', [0xff], 2, 1],
    ['ok\n日本', [0x80], 2, 3],
    ['genuine \ufffd, then ', [0xc3, 0x28], 1, 17],
    ['\ufeffab', [0xed, 0xa0, 0x80], 1, 3],
    ['cut ', [0xef, 0xbf], 1, 5],
    ['a', [0xef, 0xbf, 0x41], 1, 2],
    ['😀', [0xf8], 1, 3],
  ])('reports the position where %j is no longer UTF-8', (before, bytes, line, column) => {
    const file = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from('"')]);
    expect(placeOf(file)).toEqual([line, column]);
  });

  it('names the conflict markers that git left', () => {
    const text = '{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> side\n}\n';
    expect(() => parse(text)).toThrow('at line 2, column 1: a conflict marker of git.');
  });

  it('reports a position for every damaged text', () => {
    const cut = fc.constantFrom(
      '',
      '"',
      '{',
      ']',
      ',',
      ':',
      '\\',
      '0',
      '-',
      '.',
      '\n',
      '\u0001',
      'x',
    );
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.nat(), cut, (text, at, put) => {
        const where = at % (text.length + 1);
        const place = placeOf(text.slice(0, where) + put + text.slice(where + 1));
        if (place !== undefined) expect(place.every((n) => Number(n) >= 1)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

/** Lines out of chunks: the same lines however the bytes are cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from '../../src/server/stdio-lines.js';

function linesOf(chunks: readonly Buffer[], maxBytes = 1000): (string | undefined)[] {
  const reader = new LineReader(maxBytes);
  return chunks.flatMap((chunk) => [...reader.push(chunk)].map((line) => line?.toString()));
}

describe('a line reader', () => {
  it('gives the lines of a text, however it is cut', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\n', 'ü'), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(80), { maxLength: 10 }), (characters, cuts) => {
        const bytes = Buffer.from(characters.join(''));
        const ends = [...cuts, bytes.length].sort((a, b) => a - b);
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(linesOf(chunks)).toEqual(bytes.toString().split('\n').slice(0, -1));
      }),
    );
  });

  it('drops a line above the limit and goes on with the next', () => {
    const chunks = ['12345', '6789', '\nab\n12345', '\n'].map((text) => Buffer.from(text));
    expect(linesOf(chunks, 5)).toEqual([undefined, 'ab', '12345']);
  });
});

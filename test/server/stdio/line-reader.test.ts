/** Lines out of chunks: the same lines however the bytes are cut. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from '../../../src/server/stdio/line-reader.js';
import { leastCpuMs } from '../../support/cpu-time.js';

function linesOf(chunks: readonly Buffer[], maxBytes = 1000): (string | undefined)[] {
  const reader = new LineReader(maxBytes);
  return chunks.flatMap((chunk) => [...reader.push(chunk)].map((line) => line?.toString()));
}

describe('a line reader', () => {
  it('returns the lines of a text, however it is divided into chunks', () => {
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

  it('reads a long line in time proportional to its length', async () => {
    const millisecondsOf = (count: number) => {
      const chunks = new Array<Buffer>(count).fill(Buffer.alloc(1000, 'a'));
      const reader = new LineReader(1e9);
      return leastCpuMs(() => {
        for (const chunk of chunks) expect([...reader.push(chunk)]).toEqual([]);
        expect([...reader.push(Buffer.from('\n'))][0]).toHaveLength(count * 1000);
      });
    };
    const [short, long] = [await millisecondsOf(1_000), await millisecondsOf(16_000)];
    // 16 times as long: the square would be 256 times.
    expect(long).toBeLessThan(64 * Math.max(short, 1));
  });

  it('drops a line above the limit and continues with the next line', () => {
    const chunks = ['12345', '6789', '\nab\n12345', '\n'].map((text) => Buffer.from(text));
    expect(linesOf(chunks, 5)).toEqual([undefined, 'ab', '12345']);
  });
});

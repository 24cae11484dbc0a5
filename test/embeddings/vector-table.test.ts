/** Rows of integers compared with a question: the kernel against plain JavaScript, and both with the truth. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webAssembly } from '../../src/base/web-assembly.js';
import { normalized } from '../../src/embeddings/embedder.js';
import { createDotKernel } from '../../src/embeddings/vectors/dot-kernel.js';
import { quantized, VectorTable } from '../../src/embeddings/vectors/vector-table.js';

const vectors = (width: number, count: number) =>
  fc.array(
    fc
      .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: width, maxLength: width })
      .map((values) => normalized(Float32Array.from(values))),
    { minLength: count, maxLength: count },
  );

const passageKey = (row: number) => row.toString(16).padStart(32, '0');

function tablesOf(rows: readonly Float32Array[], width: number) {
  const tables = [new VectorTable(width), new VectorTable(width, { usesKernel: false })];
  for (const table of tables) {
    for (const [at, row] of rows.entries()) table.add({ key: passageKey(at), ...quantized(row) });
  }
  return tables;
}

describe('a table of vectors', () => {
  it('is compared by a valid module of WebAssembly', () => {
    expect(createDotKernel(new webAssembly.Memory({ initial: 1 }))).toBeInstanceOf(Function);
  });

  it.each([
    1, 5, 16, 17, 384,
  ])('of width %d gives the same with the kernel as without, near the truth', (width) => {
    fc.assert(
      fc.property(vectors(width, 12), ([question, ...rows]) => {
        if (question === undefined) return;
        const [fast, plain] = tablesOf(rows, width).map((table) => table.cosines(question));
        expect(fast).toEqual(plain);
        for (const [at, row] of rows.entries()) {
          const truth = row.reduce((sum, value, d) => sum + value * (question[d] ?? 0), 0);
          expect(Math.abs((fast?.[at] ?? 9) - truth)).toBeLessThan(0.02);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('keeps the extremes of eight bits', () => {
    const table = new VectorTable(384);
    table.add({ key: passageKey(0), values: new Int8Array(384).fill(-128), scale: 1 });
    const [score] = table.cosines(Float32Array.from({ length: 384 }, () => -1));
    expect(score).toBeCloseTo(-128 * -127 * 384 * (1 / 127), 0);
  });

  it('grows and loses nothing, and keeps the first row of a key', () => {
    const table = new VectorTable(8);
    const row = (n: number) => Float32Array.from({ length: 8 }, (_, at) => (at === n % 8 ? 1 : 0));
    for (let n = 0; n < 5_000; n += 1) table.add({ key: passageKey(n), ...quantized(row(n)) });
    expect(table.add({ key: passageKey(3), ...quantized(row(4)) })).toBe(3);
    expect(table.size).toBe(5_000);
    const scores = table.cosines(row(3));
    expect([...scores].every((score, n) => Math.abs(score - (n % 8 === 3 ? 1 : 0)) < 0.01)).toBe(
      true,
    );
    expect(table.rowOf(passageKey(4_999))).toBe(4_999);
  });

  it('is empty at first', () => {
    expect(new VectorTable(384).cosines(new Float32Array(384))).toHaveLength(0);
  });
});

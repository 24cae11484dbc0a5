/** Segments over time: whatever is put, changed, deleted, frozen, merged or taken from a cache, a fresh build answers the same. */
import { describe, expect, it } from 'vitest';
import { createTextIndex, type TextIndex } from '../../src/search/text-index.js';
import { COLUMNS, type Random, randomQuery, randomText, seededRandom } from './fts5-oracle.js';

const SEED = Number(process.env['DAYBOOK_SEED'] ?? Date.now() % 1_000_000_007);
type Fields = Record<string, string>;

const randomFields = (random: Random): Fields =>
  Object.fromEntries(COLUMNS.map((name) => [name, randomText(random, random.below(9))]));

function freshOf(documents: ReadonlyMap<number, { fields: Fields; order: number }>): TextIndex {
  const index = createTextIndex({ columns: COLUMNS });
  for (const [id, { fields, order }] of documents) index.put(id, fields, order);
  return index;
}

function expectSame(index: TextIndex, fresh: TextIndex, random: Random, queries: number): void {
  expect(index.size).toBe(fresh.size);
  expect(index.stats().tokens).toBe(fresh.stats().tokens);
  for (let i = 0; i < queries; i++) {
    const { text } = randomQuery(random, 2);
    const matchType = random.pick(['fts5', 'fts5', 'auto', 'any', 'prefix', 'exact'] as const);
    const [ours, theirs] = [index, fresh].map((one) => one.search(text, { limit: 1e6, matchType }));
    expect(ours?.hits, `seed ${SEED} ${matchType} ${JSON.stringify(text)}`).toEqual(theirs?.hits);
  }
}

describe('a long random life', () => {
  it.each([3, 20, 64])(
    'equals a fresh build at every step, frozen at %i documents',
    (liveDocuments) => {
      const random = seededRandom(SEED + liveDocuments);
      let index = createTextIndex({ columns: COLUMNS, liveDocuments });
      const documents = new Map<number, { fields: Fields; order: number }>();
      for (let step = 0; step < 400; step++) {
        const kind = random.below(20);
        const id = random.below(60);
        if (kind < 12) {
          const fields = randomFields(random);
          index.put(id, fields, step);
          documents.delete(id);
          documents.set(id, { fields, order: step });
        } else if (kind < 17) expect(index.delete(id)).toBe(documents.delete(id));
        else if (kind < 19) index.freeze();
        else {
          const restored = createTextIndex({ columns: COLUMNS, liveDocuments });
          // Terms the new index numbers otherwise: decoding must not rely on equal numbers.
          restored.put('stranger', { body: randomText(random, 20) });
          for (const buffer of index.encode().reverse())
            expect(restored.decode(buffer)).toBeDefined();
          restored.delete('stranger');
          index = restored;
        }
        expectSame(index, freshOf(documents), random, 3);
      }
      expect(index.stats().terms).toBe(freshOf(documents).stats().terms);
    },
  );
});

describe('a cached segment', () => {
  const index = createTextIndex({ columns: ['a'] });
  for (let i = 0; i < 50; i++) index.put(i, { a: `word w${i} é` });
  const [buffer] = index.encode();

  it('is refused when damaged in any byte that counts, cut short, or of other columns', () => {
    expect(buffer).toBeDefined();
    if (buffer === undefined) return;
    for (let at = 0; at < buffer.length; at += 41) {
      const damaged = Buffer.from(buffer);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect(createTextIndex({ columns: ['a'] }).decode(damaged), `byte ${at}`).toBeUndefined();
    }
    for (const length of [0, 3, 16, buffer.length - 1])
      expect(
        createTextIndex({ columns: ['a'] }).decode(buffer.subarray(0, length)),
      ).toBeUndefined();
    expect(createTextIndex({ columns: ['a', 'b'] }).decode(buffer)).toBeUndefined();
    expect(index.decode(buffer)).toBeUndefined();
  });

  it('answers like the index it came from', () => {
    const other = createTextIndex({ columns: ['a'] });
    expect(other.decode(buffer ?? Buffer.alloc(0))).toHaveLength(50);
    expect(other.search('w* NOT w7', { limit: 100 }).hits).toEqual(
      index.search('w* NOT w7', { limit: 100 }).hits,
    );
  });
});

/**
 * Segments over time: whatever is put, changed, deleted, frozen, merged or loaded from a cache, a new index
 * has the same answers.
 */

import SearchableMap from 'minisearch/SearchableMap';
import { describe, expect, it } from 'vitest';
import { termTree } from '../../src/fts/terms/term-tree.js';
import { createTextIndex, type TextIndex } from '../../src/fts/text-index.js';
import { COLUMNS, type Random, randomChoices, randomQuery, randomText } from './fts5-oracle.js';

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

const EMPTY = Buffer.alloc(0);
const buffersOf = (index: TextIndex) => index.encode().map((encode) => encode());

describe('random changes of an index', () => {
  it.each([
    3, 20, 64,
  ])('have the same result as a new index at every step, frozen at %i documents', (liveDocuments) => {
    const random = randomChoices(SEED + liveDocuments);
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
        const [terms, ...segments] = buffersOf(index);
        const decoder = restored.decoder();
        expect(decoder.decodeTerms(terms ?? EMPTY)).toBe(true);
        for (const buffer of segments.reverse())
          expect(decoder.decodeSegment(buffer)).toBeDefined();
        decoder.close(random.below(2) === 0);
        if (random.below(2) === 0) restored.put('newcomer', { body: randomText(random, 20) });
        restored.delete('newcomer');
        index = restored;
      }
      expectSame(index, freshOf(documents), random, 3);
    }
    expect(index.stats().terms).toBe(freshOf(documents).stats().terms);
  });
});

describe('a cached index', () => {
  const index = createTextIndex({ columns: ['a'] });
  for (let i = 0; i < 50; i++) index.put(i, { a: `word w${i} é` });
  const [terms = EMPTY, segment = EMPTY] = buffersOf(index);

  /** The results of two buffers in an index of these columns: what `take` returned for each. */
  function takenFrom(first: Buffer, second: Buffer, columns = ['a']) {
    const other = createTextIndex({ columns });
    const decoder = other.decoder();
    const taken = [decoder.decodeTerms(first) ? [] : undefined, decoder.decodeSegment(second)];
    decoder.close(false);
    return { taken, other };
  }

  it('is refused if a relevant byte is damaged, if it is cut, or if it has other columns', () => {
    for (const [place, buffer] of [terms, segment].entries()) {
      const takenWith = (changed: Buffer) =>
        takenFrom(place === 0 ? changed : terms, place === 1 ? changed : segment);
      for (let at = 0; at < buffer.length; at += 41) {
        const damaged = Buffer.from(buffer);
        damaged[at] = (damaged[at] ?? 0) ^ 0x10;
        const { taken, other } = takenWith(damaged);
        expect(taken[place], `byte ${at} of ${place}`).toBeUndefined();
        expect(other.stats()).toMatchObject({ documents: 0, terms: 0 });
      }
      for (const length of [0, 3, 16, buffer.length - 1])
        expect(takenWith(buffer.subarray(0, length)).taken[place]).toBeUndefined();
    }
    expect(takenFrom(terms, segment, ['a', 'b']).taken).toEqual([[], undefined]);
    const decoder = index.decoder();
    expect([decoder.decodeTerms(terms), decoder.decodeSegment(segment)]).toEqual([
      false,
      undefined,
    ]);
    decoder.close(false);
    expect(index.stats()).toMatchObject({ documents: 50, terms: 52 });
  });

  it('has the same answers as the original index, and sorts later documents after its own', () => {
    const { taken, other } = takenFrom(terms, segment);
    expect(taken[1]).toHaveLength(50);
    for (const query of ['w* NOT w7', 'wor*', 'w1*', 'word'])
      expect(other.search(query, { limit: 100 }).hits, query).toEqual(
        index.search(query, { limit: 100 }).hits,
      );
    other.put(99, { a: 'word w99 é' });
    expect(other.search('word').hits[0]?.id).toBe(99);
  });
});

function finished<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

describe('the term tree', () => {
  it('is the same as after inserting one term after another', () => {
    const random = randomChoices(SEED);
    for (let round = 0; round < 200; round++) {
      const words = Array.from({ length: random.below(200) }, () =>
        Array.from({ length: 1 + random.below(6) }, () =>
          random.pick(['a', 'b', 'é', '𝄞', '中']),
        ).join(''),
      );
      const terms = [...new Set(words)];
      const order = Uint32Array.from(terms.keys()).sort((a, b) =>
        (terms[a] ?? '') < (terms[b] ?? '') ? -1 : 1,
      );
      const added = new SearchableMap<number>();
      for (const [number, term] of terms.entries()) added.set(term, number);
      const made = finished(termTree((number) => terms[number] ?? '', order));
      expect([...made.entries()].sort()).toEqual([...added.entries()].sort());
      for (const prefix of ['a', 'ab', '𝄞', 'éa', '中中'])
        expect([...made.atPrefix(prefix).entries()].sort()).toEqual(
          [...added.atPrefix(prefix).entries()].sort(),
        );
      expect([...made.fuzzyGet('abba', 2).keys()].sort()).toEqual(
        [...added.fuzzyGet('abba', 2).keys()].sort(),
      );
      for (const term of terms.slice(0, 20)) made.delete(term);
      expect(made.size).toBe(Math.max(0, terms.length - 20));
    }
  });
});

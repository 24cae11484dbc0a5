/**
 * The work of a snippet is linear in the instances of its document, and repeated words of a query do not
 * multiply it. The test counts steps, not time.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runToCompletion } from '../../src/base/async/time-slice.js';
import type { PhraseInstance } from '../../src/fts/matching/segment-query.js';
import { parseFts5 } from '../../src/fts/query/fts5-parser.js';
import { executeQuery } from '../../src/fts/ranking/execute-query.js';
import { SegmentStore } from '../../src/fts/segments/segment-store.js';
import { WindowScorer } from '../../src/fts/snippets/window-score.js';
import { createTextIndex } from '../../src/fts/text-index.js';

/** FTS5's definition, window by window. */
function scoreOf(instances: readonly PhraseInstance[], start: number, size: number) {
  const seen = new Set<number>();
  let [score, first, end] = [0, -1, 0];
  for (const { phrase, weight, offset, length } of instances) {
    if (offset < start || offset >= start + size) continue;
    score += weight * (seen.has(phrase) ? 1 : 1000);
    seen.add(phrase);
    if (first < 0) first = offset;
    end = offset + length;
  }
  return { score, first, end };
}

const instance = fc
  .record({
    phrase: fc.nat(4),
    column: fc.constant(0),
    offset: fc.nat(60),
    length: fc.integer({ min: 1, max: 4 }),
  })
  .map((fields) => ({ ...fields, weight: 1 + (fields.phrase % 3) }));
const byOffset = (a: PhraseInstance, b: PhraseInstance) =>
  a.offset - b.offset || a.phrase - b.phrase;

/** The instances of `query` in one document of `text`. */
function instancesIn(text: string, query: string): PhraseInstance[] {
  const layout = { count: 2, defaults: 1 };
  const store = new SegmentStore(layout, 0);
  store.add(1, 1, [text]);
  const root = parseFts5(query, { names: ['text'], defaults: 1 });
  const options = { limit: 1, offset: 0, filter: undefined };
  const { queries } = runToCompletion(executeQuery(root, store, options));
  return queries[0]?.instances(0) ?? [];
}

describe('snippets', () => {
  it('score their windows as FTS5 does, with two steps for each instance', () => {
    fc.assert(
      fc.property(
        fc.array(instance, { maxLength: 60 }),
        fc.array(fc.nat(70), { maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (unsorted, windows, size) => {
          const instances = [...unsorted].sort(byOffset);
          const scorer = new WindowScorer(instances, size);
          for (const start of [...windows].sort((a, b) => a - b))
            expect(scorer.scoreAt(start)).toEqual(scoreOf(instances, start, size));
          expect(scorer.steps).toBeLessThanOrEqual(2 * instances.length);
        },
      ),
    );
  });

  it('look at a word once, even if the query repeats it', () => {
    const text = 'a '.repeat(600);
    const repeated = instancesIn(text, Array.from({ length: 298 }, () => 'a').join(' OR '));
    expect(repeated).toHaveLength(600);
    expect(repeated[0]).toMatchObject({ phrase: 297, weight: 298, offset: 0 });
    expect(instancesIn(text, 'a')).toHaveLength(600);
  });

  it('look at a limited number of instances if many different phrases match everywhere', () => {
    const phrases = Array.from({ length: 50 }, (_, i) => `"${'a '.repeat(i + 1)}"`);
    const found = instancesIn('a '.repeat(5_000), phrases.join(' OR '));
    expect(found.length).toBeGreaterThan(60_000);
    expect(found.length).toBeLessThanOrEqual(2 ** 16);
  });

  it('mark all instances of a phrase that the query repeats', () => {
    const index = createTextIndex({ columns: ['text'] });
    index.put(1, { text: 'one two one' });
    const result = index.search('one OR two OR one');
    const marks = { open: '[', close: ']' };
    expect(result.snippet(1, { text: 'one two one' }, marks)).toBe('[one] [two] [one]');
  });
});

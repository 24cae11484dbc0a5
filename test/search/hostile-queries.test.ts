/** Queries made to hang a server: each ends in seconds, with an answer or a clear error. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createTextIndex } from '../../src/search/text-index.js';

const TERMS = 60_000;
const index = createTextIndex({ columns: ['a'] });

beforeAll(() => {
  for (let i = 0; i < TERMS; i += 6) {
    const words = Array.from({ length: 6 }, (_, k) => `w${(i + k).toString(36)} a${i + k}`);
    index.put(i, { a: words.join(' ') });
  }
});

function timed<T>(work: () => T): { value: T; ms: number } {
  const started = performance.now();
  const value = work();
  return { value, ms: performance.now() - started };
}
const refused = (query: string) => () => index.search(query);
const syntax = expect.objectContaining({ code: 'QUERY_SYNTAX' });

describe('hostile queries', () => {
  it('answers a prefix of 60 000 terms at once', () => {
    const { value, ms } = timed(() => index.search('a* OR w*'));
    expect(value.total).toBe(TERMS / 6);
    expect(ms).toBeLessThan(2_000);
  });

  it('answers a thousand prefixes', () => {
    const query = Array.from({ length: 1_000 }, (_, i) => `w${i.toString(36)}*`).join(' OR ');
    expect(timed(() => index.search(query)).ms).toBeLessThan(10_000);
    const same = Array.from({ length: 1_000 }, () => 'a*').join(' OR ');
    expect(timed(() => index.search(same)).ms).toBeLessThan(10_000);
    const near = (phrases: number) => `NEAR(${'a* '.repeat(phrases)}, 100)`;
    expect(timed(() => index.search(near(32))).ms).toBeLessThan(10_000);
    expect(refused(near(33))).toThrow(syntax);
  });

  it('answers deep nesting up to the limit and refuses what is deeper', () => {
    const nested = (depth: number) => `${'(a1 OR (a2 AND '.repeat(depth)}a3${'))'.repeat(depth)}`;
    expect(index.search(nested(100)).total).toBeGreaterThan(0);
    expect(refused(nested(200))).toThrow(syntax);
    expect(refused(`a1${' NOT b'.repeat(257)}`)).toThrow(syntax);
    expect(index.search(`a1${' NOT b'.repeat(256)}`).total).toBe(1);
    expect(refused('('.repeat(100_000))).toThrow(syntax);
    expect(refused('a '.repeat(100_000))).toThrow(syntax);
    expect(refused(`"${'a '.repeat(100_000)}"`)).toThrow(syntax);
  });

  it('takes a pasted text in the forgiving match types', () => {
    const pasted = 'w1 (a2 "x C++ '.repeat(5_000);
    for (const matchType of ['auto', 'exact', 'prefix', 'any', 'fuzzy'] as const)
      expect(timed(() => index.search(pasted, { matchType })).ms, matchType).toBeLessThan(10_000);
  });
});

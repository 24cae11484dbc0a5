/**
 * Queries that are made to stop a server: each ends with an answer or a clear error, within a few times the
 * time of indexing the text, which is a second or less.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { createTextIndex } from '../../src/fts/text-index.js';
import { cpuMs, leastCpuMs } from '../support/cpu-time.js';

const TERMS = 60_000;
const index = createTextIndex({ columns: ['a'] });

function workOf(work: () => unknown): number {
  const before = cpuMs();
  work();
  return cpuMs() - before;
}
let indexingMs = 0;

beforeAll(() => {
  indexingMs = workOf(() => {
    for (let i = 0; i < TERMS; i += 6) {
      const words = Array.from({ length: 6 }, (_, k) => `w${(i + k).toString(36)} a${i + k}`);
      index.put(i, { a: words.join(' ') });
    }
  });
});

/** Takes at most this multiple of the time of indexing. */
function expectWithin(times: number, work: () => unknown, what?: string): void {
  const ratio = workOf(work) / indexingMs;
  console.log(`${what}: ${ratio.toFixed(2)} times the indexing (${indexingMs.toFixed(0)} ms)`);
  expect(ratio, what).toBeLessThan(times);
}
const refused = (query: string) => () => index.search(query);
const syntax = expect.objectContaining({ code: 'QUERY_SYNTAX' });

describe('queries that would take long', () => {
  it('with a prefix of 60 000 terms are answered at once', () => {
    const all = () => expect(index.search('a* OR w*').total).toBe(TERMS / 6);
    // The first one also sorts all terms.
    expectWithin(6, all, 'first prefix');
    expectWithin(2, all, 'next prefix');
  });

  it('with a thousand prefixes are answered', () => {
    const query = Array.from({ length: 1_000 }, (_, i) => `w${i.toString(36)}*`).join(' OR ');
    expectWithin(10, () => index.search(query), 'different');
    const same = Array.from({ length: 1_000 }, () => 'a*').join(' OR ');
    expectWithin(30, () => index.search(same), 'same');
    const near = (phrases: number) => `NEAR(${'a* '.repeat(phrases)}, 100)`;
    expectWithin(10, () => index.search(near(32)), 'near');
    expect(refused(near(33))).toThrow(syntax);
  });

  it('with deep nesting are answered up to the limit, and refused above it', () => {
    const nested = (depth: number) => `${'(a1 OR (a2 AND '.repeat(depth)}a3${'))'.repeat(depth)}`;
    expect(index.search(nested(100)).total).toBeGreaterThan(0);
    expect(refused(nested(200))).toThrow(syntax);
    expect(refused(`a1${' NOT b'.repeat(257)}`)).toThrow(syntax);
    expect(index.search(`a1${' NOT b'.repeat(256)}`).total).toBe(1);
    expect(refused('('.repeat(100_000))).toThrow(syntax);
    expect(refused('a '.repeat(100_000))).toThrow(syntax);
    expect(refused(`"${'a '.repeat(100_000)}"`)).toThrow(syntax);
  });

  it('with a long pasted text are accepted in the match types without syntax', () => {
    const pasted = 'w1 (a2 "x C++ '.repeat(5_000);
    for (const matchType of ['auto', 'exact', 'prefix', 'any', 'fuzzy'] as const)
      expectWithin(10, () => index.search(pasted, { matchType }), matchType);
  });

  it('with a repeated symbol search for it once', () => {
    const signs = createTextIndex({ columns: ['a'] });
    signs.put(1, { a: '> '.repeat(75_000) });
    for (const matchType of ['auto', 'exact', 'prefix', 'any', 'fuzzy'] as const) {
      const search = () =>
        expect(signs.search('> '.repeat(500), { matchType }).total, matchType).toBe(1);
      expectWithin(1, search, `signs, ${matchType}`);
    }
  });

  it('with a long row of symbols take no longer than with a short one', async () => {
    const signs = createTextIndex({ columns: ['a'] });
    signs.put(1, { a: '>'.repeat(120_000) });
    signs.put(2, { a: 'a+'.repeat(20_000) });
    const timeOf = (query: string) =>
      leastCpuMs(() => signs.search(query, { matchType: 'any' }), 3);
    const short = await timeOf('>> +!');
    for (const long of ['>'.repeat(10_000), `${'>'.repeat(9_999)}!`, `${'>+'.repeat(5_000)}`])
      expect((await timeOf(long)) / short).toBeLessThan(10);
  });

  it('with a phrase that repeats itself take no longer than with a short phrase', async () => {
    const rows = createTextIndex({ columns: ['a'] });
    for (const text of ['a ', 'b+', '語']) rows.put(text, { a: text.repeat(20_000) });
    rows.freeze();
    for (const text of ['a ', 'b+', '語']) {
      const timeOf = (words: number) =>
        leastCpuMs(() => rows.search(text.repeat(words), { matchType: 'exact' }), 3);
      // Reading 5 000 words takes some time too.
      const short = Math.max(10, await timeOf(3));
      expect((await timeOf(5_000)) / short, text).toBeLessThan(15);
    }
  });

  it('with a NEAR of many phrases cost a snippet no more than a search', async () => {
    const texts = { a: 'a '.repeat(4_000) };
    const one = createTextIndex({ columns: ['a'] });
    one.put(1, texts);
    // Different ones, because equal phrases need no walk.
    const phrases = Array.from({ length: 32 }, (_, i) => `"${'a '.repeat(i + 1)}"`).join(' ');
    const search = () => one.search(`NEAR(${phrases}, 2147483647)`, { matchType: 'fts5' });
    const searched = await leastCpuMs(search, 3);
    const both = await leastCpuMs(() => expect(search().snippet(1, texts)).toContain('a'), 3);
    expect(both / searched).toBeLessThan(6);
  });
});

/** The index as its callers use it: special cases of the language, match types, totals, limits, cancelling. */
import { describe, expect, it } from 'vitest';
import type { MatchType } from '../../src/fts/query/match-type-names.js';
import { createTextIndex } from '../../src/fts/text-index.js';

const MESSAGES = ['content', 'title', 'role', 'module', 'tags'];

function indexOf(...texts: string[]) {
  const index = createTextIndex({ columns: ['a', 'b'] });
  texts.forEach((text, i) => {
    const [a = '', b = ''] = text.split('|');
    index.put(i + 1, { a, b });
  });
  return index;
}
const idsOf = (index: ReturnType<typeof indexOf>, query: string, matchType: MatchType = 'fts5') =>
  index
    .search(query, { matchType, limit: 100 })
    .hits.map(({ id }) => id)
    .sort();

describe('the query language', () => {
  const index = indexOf(
    'one two three',
    'one three',
    'two|one',
    'One and TWO',
    'near the one, three two',
  );

  it.each([
    ['one NOT two three', [2, 3, 4]],
    ['one NOT two', [2]],
    ['one OR two NOT three', [1, 2, 3, 4, 5]],
    ['two AND one OR nothing', [1, 3, 4, 5]],
    ['NEAR(one three, 0)', [2, 5]],
    ['NEAR(one three)', [1, 2, 5]],
    ['one NEAR/0 three', [2, 5]],
    ['NEAR("one two" three, 0)', [1]],
    ['^one', [1, 2, 3, 4]],
    ['^two', [1 + 2]],
    ['b : one', [3]],
    ['- b : one', [1, 2, 4, 5]],
    ['{a b} : one NOT b : one', [1, 2, 4, 5]],
    ['a : (one NOT three)', [4]],
    ['"one thr" *', [2, 5]],
    ['one + thr*', [2, 5]],
    ['tw*', [1, 3, 4, 5]],
    ['""', []],
    ['one ""', [1, 2, 3, 4, 5]],
    ['one AND ""', []],
    ['"—" two', [1, 3, 4, 5]],
    ['and', [4]],
    ['NEAR', [5]],
    ['nosuchword', []],
  ])('%s', (query, expected) => {
    expect(idsOf(index, query)).toEqual(expected);
  });

  it.each([
    ['', 0],
    ['(one OR two) three', 13],
    ['-one', 1],
    ['a.b', 1],
    ['one AND NOT two', 8],
    ['"one', 0],
    ['one)', 3],
    ['nosuch : one', 0],
    ['NEAR(one two, x)', 14],
    ['one NEAR/2 two NEAR/3 three', 15],
    ['one two (three)', 4],
  ])('refuses %j with the position of the fault', (query, position) => {
    expect(() => index.search(query)).toThrow(
      expect.objectContaining({ code: 'QUERY_SYNTAX', details: { position } }),
    );
  });
});

describe('columns', () => {
  it('are searched only by name and do not count for the rank if they are filter-only', () => {
    const index = createTextIndex({ columns: MESSAGES, defaultColumns: ['content', 'title'] });
    const alone = createTextIndex({ columns: ['content', 'title'] });
    const texts = ['the user asked', 'assistant and user', 'nothing of the kind', 'user user'];
    texts.forEach((content, id) => {
      index.put(id, {
        content,
        title: 'a title',
        role: id % 2 ? 'user' : 'assistant',
        tags: 'user x',
      });
      alone.put(id, { content, title: 'a title' });
    });
    expect(index.search('user').hits).toEqual(alone.search('user').hits);
    expect(index.search('- content : user').total).toBe(0);
    expect(
      index
        .search('role : user')
        .hits.map(({ id }) => id)
        .sort(),
    ).toEqual([1, 3]);
    expect(index.search('role : user AND asked').total).toBe(0);
    expect(index.search('us* NOT role : user').hits.map(({ id }) => id)).toEqual([0]);
  });

  it('ranks a hit in another column if the default columns of all documents are empty', () => {
    const index = createTextIndex({ columns: ['title', 'body'], defaultColumns: ['body'] });
    index.put(1, { title: 'a' });
    const [hit] = index.search('title: a').hits;
    expect(hit?.id).toBe(1);
    expect(hit?.rank).toBeLessThan(0);
  });

  it('refuses unknown default columns', () => {
    expect(() => createTextIndex({ columns: ['a'], defaultColumns: ['b'] })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });
});

describe('match types', () => {
  const index = indexOf(
    'We write C++ and C here',
    'run `rm -rf` on src/search/query.ts now',
    'the .env file, the --flag',
    'call foo_bar() please',
    '全文検索エンジンを作る',
    'the colour of water',
    'C is a letter',
    'search query engines',
  );

  it.each<[string, MatchType, number[]]>([
    ['C++', 'auto', [1]],
    ['rm -rf', 'auto', [2]],
    ['src/search/query.ts', 'auto', [2]],
    ['search/query', 'exact', [2]],
    ['.env', 'any', [3]],
    ['--flag', 'prefix', [3]],
    ['foo_bar', 'exact', [4]],
    ['foo_ba', 'prefix', [4]],
    ['検索', 'auto', [5]],
    ['検索エン', 'any', [5]],
    ['検', 'auto', [5]],
    ['検索', 'fts5', []],
    ['C++', 'exact', [1]],
    ['color', 'fuzzy', [6]],
    ['color watr', 'fuzzy', [6]],
    ['search query', 'exact', [2, 8]],
    ['query search', 'exact', []],
    ['quer eng', 'prefix', [8]],
    ['water letter', 'any', [6, 7]],
    ['water OR letter', 'auto', [6, 7]],
    ['what?! (is', 'any', [7]],
    ['', 'auto', []],
    ['?', 'any', []],
  ])('%s as %s', (query, matchType, expected) => {
    expect(idsOf(index, query, matchType)).toEqual(expected);
  });

  it('relaxes plain words that no document has together, and reports it', () => {
    expect(index.search('water letter', { matchType: 'auto' })).toMatchObject({
      total: 2,
      relaxed: true,
    });
    expect(index.search('water AND letter', { matchType: 'auto' })).toMatchObject({
      total: 0,
      relaxed: false,
    });
    expect(index.search('colour water', { matchType: 'auto' })).toMatchObject({
      total: 1,
      relaxed: false,
    });
  });

  it('ranks the exact spelling first', () => {
    const near = indexOf('colours', 'colour', 'colours');
    expect(near.search('colour', { matchType: 'fuzzy' }).hits[0]?.id).toBe(2);
  });

  it('names the words that no document has', () => {
    const { unknownWords } = index.search('water zebra wombat*', { matchType: 'fts5' });
    expect(unknownWords).toEqual(['zebra', 'wombat']);
    const without = index.search('zebra NOT wombat AND (yak NOT gnu)', { matchType: 'fts5' });
    expect(without.unknownWords).toEqual(['zebra', 'yak']); // only these are missing
  });
});

describe('results', () => {
  it('have the newest first among equal ranks, or the order of the caller', () => {
    const index = indexOf('same', 'same', 'same');
    expect(index.search('same').hits.map(({ id }) => id)).toEqual([3, 2, 1]);
    index.put(1, { a: 'same' });
    expect(index.search('same').hits.map(({ id }) => id)).toEqual([1, 3, 2]);
    index.put(2, { a: 'same' }, 100);
    expect(index.search('same', { limit: 1 }).hits.map(({ id }) => id)).toEqual([2]);
    expect(index.search('same', { limit: 1, offset: 2 }).hits.map(({ id }) => id)).toEqual([3]);
  });

  it('are filtered before totals and limits', () => {
    const index = createTextIndex({ columns: ['a'], liveDocuments: 10 });
    for (let i = 0; i < 45; i++) index.put(`doc-${i}`, { a: i % 2 ? 'odd word' : 'word' });
    const filter = (id: string | number) => String(id).endsWith('3');
    const { total, hits } = index.search('word OR odd', { filter, limit: 2 });
    expect([total, hits.length]).toEqual([5, 2]);
    expect(hits.every(({ id }) => filter(id))).toBe(true);
  });

  it('can be cancelled, and are the same when the search runs in slices', async () => {
    const index = createTextIndex({ columns: ['a'], liveDocuments: 50 });
    for (let i = 0; i < 5_000; i++) index.put(i, { a: `word w${i % 7} ${'x '.repeat(i % 5)}` });
    const query = 'word OR w* NOT w3';
    const sliced = await index.searchAsync(query);
    expect(sliced.hits).toEqual(index.search(query).hits);
    const aborted = AbortSignal.abort();
    await expect(index.searchAsync(query, { signal: aborted })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    // Long enough to let others run in between.
    const long = Array.from({ length: 300 }, (_, n) => `NEAR(w${n % 7} x, ${n})`).join(' OR ');
    const controller = new AbortController();
    const running = index.searchAsync(long, { signal: controller.signal });
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('have snippets for hits that changed meanwhile', () => {
    const index = indexOf('one two', 'three');
    const result = index.search('two');
    expect(result.snippet(1, { a: 'one two' })).toBe('one <mark>two</mark>');
    index.freeze();
    expect(result.snippet(1, { a: 'one two' })).toBe('one <mark>two</mark>');
    index.delete(1);
    expect(result.snippet(1, { a: 'one two' })).toBe('one two');
  });
});

/**
 * The engine against real SQLite: random documents, random queries over the whole grammar. The
 * matching rows must be SQLite's in every case, the rank SQLite's to the last bit or, where SQLite
 * depends on its own evaluation history, the clean rule's. DAYBOOK_SEED repeats a run.
 */
import { afterAll, describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { MAX_FREQUENCY } from '../../src/fts/segments/segment.js';
import { createTextIndex } from '../../src/fts/text-index.js';
import { termsOf } from '../../src/fts/tokenizing/tokenizer.js';
import { inTransaction, isCorruption, openSqlite, rowsOf } from '../support/sqlite.js';
import {
  COLUMNS,
  type OracleDocument,
  oracleSearch,
  type Random,
  type RandomQuery,
  randomChoices,
  randomQuery,
  randomText,
} from './fts5-oracle.js';

const SEED = Number(process.env['DAYBOOK_SEED'] ?? Date.now() % 1_000_000_007);
/** Half a minute each on an idle machine, three minutes and more on a loaded one. */
const MAX_WAIT_MS = 1_200_000;
const tally = { cases: 0, cleanRule: 0, invalid: 0, snippets: 0 };

afterAll(() => {
  console.log(
    `seed ${SEED}: ${tally.cases} queries, ${tally.cleanRule} ranked by the clean rule where SQLite ` +
      `depends on its history; ${tally.invalid} invalid in both; ${tally.snippets} snippets`,
  );
});

const MATCH = 'SELECT rowid AS id, bm25(t) AS rank FROM t WHERE t MATCH ?';
const SNIPPET = `
  SELECT rowid AS id, snippet(t, ?, '[', ']', '~', ?) AS snippet, highlight(t, 1, '[', ']') AS marked
  FROM t WHERE t MATCH ?`;

/** The same documents in SQLite, in the engine and for the oracle. */
class Trio {
  readonly db = openSqlite();
  readonly index;
  readonly documents = new Map<number, OracleDocument>();
  readonly texts = new Map<number, string[]>();
  readonly #insert;
  readonly #delete;

  constructor(liveDocuments: number) {
    this.db.exec(
      `CREATE VIRTUAL TABLE t USING fts5(${COLUMNS.join()}, tokenize='unicode61 remove_diacritics 1')`,
    );
    this.index = createTextIndex({ columns: COLUMNS, liveDocuments });
    this.#insert = this.db.prepare('INSERT INTO t(rowid, title, body, tags) VALUES (?, ?, ?, ?)');
    this.#delete = this.db.prepare('DELETE FROM t WHERE rowid = ?');
  }

  ranks(query: string, limit: number): number[] {
    return this.index.search(query, { limit }).hits.map(({ rank }) => rank);
  }

  sqlitesRanks(query: string, limit: number): number[] {
    const rows = rowsOf<{ rank: number }>(this.db, `${MATCH} ORDER BY rank LIMIT ${limit}`, query);
    return rows.map(({ rank }) => rank);
  }

  put(id: number, texts: string[]): void {
    this.delete(id);
    this.#insert.run([id, ...texts]);
    this.index.put(id, Object.fromEntries(COLUMNS.map((name, i) => [name, texts[i]])));
    this.documents.set(id, texts.map(termsOf));
    this.texts.set(id, texts);
  }

  delete(id: number): void {
    this.#delete.run(id);
    expect(this.index.delete(id)).toBe(this.documents.delete(id));
    this.texts.delete(id);
  }

  /** Row to rank, as SQLite has it. */
  #ranks(text: string): Map<number, number> {
    const rows = rowsOf<{ id: number; rank: number }>(this.db, MATCH, text);
    return new Map(rows.map(({ id, rank }) => [id, rank]));
  }

  check({ text, node }: RandomQuery): void {
    const expected = this.#ranks(text);
    const { hits, total } = this.index.search(text, { limit: 1e9 });
    const about = `seed ${SEED} query ${JSON.stringify(text)}`;
    expect(
      hits.map(({ id }) => Number(id)).sort((a, b) => a - b),
      about,
    ).toEqual([...expected.keys()].sort((a, b) => a - b));
    expect(total, about).toBe(hits.length);
    // A page is found without scoring documents that cannot be on it.
    const [limit, offset] = [1 + (text.length % 7), text.length % 3];
    const page = this.index.search(text, { limit, offset });
    expect(page, about).toMatchObject({ total, hits: hits.slice(offset, offset + limit) });
    tally.cases++;
    if (hits.every(({ id, rank }) => rank === expected.get(id as number))) return;
    tally.cleanRule++;
    const clean = oracleSearch(node, this.documents);
    const wrong = hits.filter(({ id, rank }) => !Object.is(rank, clean.get(id as number)));
    expect(wrong, about).toEqual([]);
  }

  checkSnippets({ text, node }: RandomQuery, random: Random): void {
    const column = random.below(4) - 1;
    const tokens = 1 + random.below(12);
    let rows: { id: number; snippet: string; marked: string }[] = [];
    try {
      rows = rowsOf(this.db, SNIPPET, column, tokens, text);
    } catch (error) {
      // SQLite meets positions of another row and takes them for a damaged file.
      if (!isCorruption(error)) throw error;
    }
    const result = this.index.search(text, { limit: 1e9 });
    const clean = oracleSearch(node, this.documents);
    const ranks = this.#ranks(text);
    for (const { id, snippet, marked } of rows) {
      // Where SQLite counts instances of another row, it also marks them: nothing to compare.
      if (ranks.get(id) !== clean.get(id)) continue;
      const texts = this.texts.get(id)!;
      const chosen = COLUMNS.map((name, i) => [
        name,
        column < 0 || column === i ? texts[i] : undefined,
      ]);
      const options = { open: '[', close: ']', ellipsis: '~', tokens };
      const about = `seed ${SEED} query ${JSON.stringify(text)} column ${column} of ${JSON.stringify(texts)}`;
      expect(result.snippet(id, Object.fromEntries(chosen), options), about).toBe(snippet);
      expect(result.highlight(id, 'body', texts[1]!, options), about).toBe(marked);
      tally.snippets++;
    }
  }
}

function randomDocument(random: Random): string[] {
  return COLUMNS.map(() => {
    const kind = random.below(40);
    return randomText(random, kind === 0 ? 400 : kind < 6 ? 0 : random.below(14));
  });
}

const SOUP = [
  'a',
  'b',
  '"a b"',
  '""',
  'AND',
  'OR',
  'NOT',
  'NEAR',
  'NEAR(',
  '(',
  ')',
  '+',
  '*',
  '^',
  '-',
  ':',
  ',',
  '{',
  '}',
  'title',
  'body:',
  '5',
  '"',
  '.',
  "'",
  'é',
];

/** The clean rule is ours too, so it may decide at most one query in forty, if SQLite depends on its history. */
function expectMostlySqlitesRanks(): void {
  expect(tally.cleanRule / tally.cases).toBeLessThan(0.06);
}

describe('full-text search against SQLite', () => {
  it(
    'finds and ranks the same as SQLite: a dozen documents, 12 000 queries',
    {
      timeout: MAX_WAIT_MS,
    },
    () => {
      const random = randomChoices(SEED);
      for (let round = 0; round < 40; round++) {
        const trio = new Trio(random.pick([3, 7, 10_000]));
        inTransaction(trio.db, () => {
          for (let i = 0; i < 16; i++) trio.put(1 + random.below(12), randomDocument(random));
        });
        for (let i = 0; i < 300; i++) trio.check(randomQuery(random));
        trio.db.close();
      }
      expectMostlySqlitesRanks();
    },
  );

  it(
    'finds and ranks the same as SQLite: thousands of documents, frozen segments, deletes, updates',
    {
      timeout: MAX_WAIT_MS,
    },
    () => {
      const random = randomChoices(SEED + 1);
      const trio = new Trio(500);
      inTransaction(trio.db, () => {
        for (let i = 0; i < 2_600; i++) trio.put(1 + random.below(2_000), randomDocument(random));
        for (let i = 0; i < 400; i++) trio.delete(1 + random.below(2_000));
      });
      expect(trio.index.stats().segments).toBeGreaterThan(2);
      for (let i = 0; i < 1_200; i++) {
        trio.check(randomQuery(random, 2));
        if (i % 10 === 0) trio.put(1 + random.below(2_000), randomDocument(random));
      }
      expectMostlySqlitesRanks();
    },
  );

  it('ranks a word that occurs more often than a posting can count as SQLite does', () => {
    const trio = new Trio(10_000);
    const many = 'a '.repeat(MAX_FREQUENCY + 10);
    trio.put(1, ['', `${many} b`, '']);
    trio.put(2, ['a', `${many} a a c a b`, '']);
    for (let id = 3; id < 20; id++) trio.put(id, ['c', 'a b '.repeat(id), 'd']);
    for (const isFrozen of [false, true]) {
      if (isFrozen) trio.index.freeze();
      for (const text of ['a', 'a*', 'a OR c', 'a b', '"a b"', 'NEAR(b a, 3)', 'a NOT c'])
        expect(trio.ranks(text, 3), text).toEqual(trio.sqlitesRanks(text, 3));
    }
  });

  it('ranks frequencies and lengths at the limits of a posting as SQLite does', () => {
    const trio = new Trio(10_000);
    let id = 1;
    for (const length of [60, 1_021, 1_022, 1_023, 1_024, 1_500])
      for (const frequency of [1, 2, 62, 63, 64, 65, 127, 128, 129, 1_022, 1_023, 1_024]) {
        const rest = Math.max(2, length - frequency);
        trio.put(id++, ['', 'a '.repeat(frequency), `b ${'ab c '.repeat(rest / 2)}`]);
        trio.put(id++, ['d', 'd '.repeat(length - 1), '']);
      }
    for (const isFrozen of [false, true]) {
      if (isFrozen) trio.index.freeze();
      for (const text of ['a', 'b', 'a*', 'a OR b', 'c OR b OR a', 'a b', '"b ab"', 'a NOT d', 'd'])
        for (const limit of [5, 500])
          expect(trio.ranks(text, limit), text).toEqual(trio.sqlitesRanks(text, limit));
      trio.delete(10);
    }
  });

  it('refuses the same queries as SQLite', () => {
    const random = randomChoices(SEED + 2);
    const trio = new Trio(10_000);
    trio.put(1, ['a b', 'a', 'b a']);
    for (let i = 0; i < 10_000; i++) {
      const text = Array.from({ length: 1 + random.below(8) }, () => random.pick(SOUP)).join(
        random.pick(['', ' ', ' ']),
      );
      let valid = true;
      let ours = true;
      try {
        rowsOf(trio.db, MATCH, text);
      } catch {
        valid = false;
      }
      try {
        trio.index.search(text);
      } catch (error) {
        if (!isAppError(error, 'QUERY_SYNTAX')) throw error;
        expect(error.details?.['position']).toBeTypeOf('number');
        ours = false;
      }
      expect(ours, JSON.stringify(text)).toBe(valid);
      if (!valid) tally.invalid++;
    }
    expect(tally.invalid).toBeGreaterThan(5_000);
    expect(tally.invalid).toBeLessThan(9_900);
  });

  it('has the same snippets and highlights as SQLite', () => {
    const random = randomChoices(SEED + 3);
    for (let round = 0; round < 20; round++) {
      const trio = new Trio(random.pick([5, 10_000]));
      for (let i = 0; i < 12; i++) trio.put(i, randomDocument(random));
      for (let i = 0; i < 60; i++) trio.checkSnippets(randomQuery(random), random);
      trio.db.close();
    }
    expect(tally.snippets).toBeGreaterThan(1_000);
  });
});

/** The logarithm against the C library's, reached through SQLite's ln(). */
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { exactLog } from '../../src/search/exact-log.js';

it('gives the bits of the C library for every idf of small stores and a sample of large ones', () => {
  const ln = new Database(':memory:').prepare('SELECT ln(?)').pluck();
  const wrong: number[] = [];
  const check = (rows: number, hits: number) => {
    const ratio = (rows - hits + 0.5) / (hits + 0.5);
    if (exactLog(ratio) !== ln.get(ratio)) wrong.push(ratio);
  };
  for (let rows = 1; rows < 200; rows++) for (let hits = 0; hits <= rows; hits++) check(rows, hits);
  for (let hits = 0; hits < 5_000; hits += 7) check(10_000, hits);
  for (let hits = 0; hits < 100_000; hits += 97) check(200_000, hits);
  expect(wrong).toEqual([]);
});

/** The logarithm, compared with that of the C library through SQLite's ln(). */
import { expect, it } from 'vitest';
import { exactLog } from '../../src/fts/ranking/exact-log.js';
import { columnOf, openSqlite } from '../support/sqlite.js';

it('the logarithm has the same bits as in the C library, which rounds one of some thousands wrongly', () => {
  const db = openSqlite();
  let checked = 0;
  let wrong = 0;
  const check = (rows: number, hits: number) => {
    const ratio = (rows - hits + 0.5) / (hits + 0.5);
    const [ours, theirs] = [exactLog(ratio), columnOf<number>(db, 'SELECT ln(?)', ratio)[0]!];
    checked++;
    if (ours !== theirs) wrong++;
    expect(Math.abs(ours - theirs)).toBeLessThanOrEqual(Math.abs(theirs) * Number.EPSILON);
  };
  for (let rows = 1; rows < 200; rows++) for (let hits = 0; hits <= rows; hits++) check(rows, hits);
  for (let hits = 0; hits < 5_000; hits += 7) check(10_000, hits);
  for (let hits = 0; hits < 100_000; hits += 97) check(200_000, hits);
  expect(wrong).toBeLessThan(checked / 1_000);
});

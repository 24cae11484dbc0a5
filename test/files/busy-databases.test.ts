/** SQLite files whose program is writing to them. */
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openInput } from '../../src/files/input/input.js';
import { withSqlite } from '../../src/files/input/sqlite.js';
import { tempFolder } from '../support/temp-folder.js';

const { afterCopy } = vi.hoisted(() => ({ afterCopy: vi.fn() }));
vi.mock(import('../../src/files/input/temporary-file.js'), async (load) => {
  const { writeTemporaryFile } = await load();
  return {
    writeTemporaryFile: async (...args) => {
      const copy = await writeTemporaryFile(...args);
      afterCopy();
      return copy;
    },
  };
});

beforeEach(() => void afterCopy.mockReset());

function databaseWith(pragmas: string) {
  const path = join(tempFolder(), 'old.db');
  const database = new sqlite.Database(path);
  onTestFinished(() => database.close());
  database.exec(`PRAGMA locking_mode = EXCLUSIVE; ${pragmas}`);
  database.exec('CREATE TABLE notes (id INTEGER, content TEXT)');
  return { path, database };
}

const addNotes = (database: { exec(sql: string): void }, count: number, content: string) =>
  database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO notes SELECT i, '${content}' FROM n`);

async function contentsIn(path: string): Promise<unknown> {
  const sql = 'SELECT content, count(*) AS count FROM notes GROUP BY content ORDER BY content';
  const found: unknown[] = [];
  const { files } = await openInput(path);
  const [file] = files;
  if (file === undefined) throw new Error('no file');
  for await (const row of withSqlite({ file }, ({ rows }) => rows(sql))) found.push({ ...row });
  return found;
}

it('a database is read in one version although its log is moved into the file during the copy', async () => {
  const { path, database } = databaseWith('PRAGMA journal_mode = WAL');
  addNotes(database, 500, 'first');
  afterCopy.mockImplementationOnce(() => {
    addNotes(database, 500, 'second');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  });
  expect(await contentsIn(path)).toEqual([
    { content: 'first', count: 500 },
    { content: 'second', count: 500 },
  ]);
  expect(afterCopy).toHaveBeenCalledTimes(2);
});

it('a database is read after the transaction that its program is writing', async () => {
  const { path, database } = databaseWith('PRAGMA cache_size = 1');
  addNotes(database, 500, 'first');
  database.exec('BEGIN');
  database.exec(`UPDATE notes SET content = 'second'`);
  addNotes(database, 5000, 'second');
  afterCopy.mockImplementationOnce(() => undefined);
  afterCopy.mockImplementationOnce(() => database.exec('COMMIT'));
  expect(await contentsIn(path)).toEqual([{ content: 'second', count: 5500 }]);
  expect(afterCopy).toHaveBeenCalledTimes(3);
});

/**
 * SQLite as the judge of tests: what the engine finds, ranks and marks is compared with the real FTS5.
 * `node-sqlite3-wasm` is SQLite compiled to WebAssembly: it needs neither a compiler nor a binary for
 * the platform. Queries are prepared anew each time, because a statement that failed once fails at its
 * next use as well.
 */
import sqlite, { type Database } from 'node-sqlite3-wasm';

type Value = string | number;

/** A database in memory. */
export const openSqlite = (): Database => new sqlite.Database(':memory:');

/** The rows of a query as objects, one property a column. */
export function rowsOf<Row>(db: Database, sql: string, ...values: Value[]): Row[] {
  return db.all(sql, values) as unknown[] as Row[];
}

/** The first column of each row. */
export function columnOf<Cell>(db: Database, sql: string, ...values: Value[]): Cell[] {
  return db.all(sql, values).map((row) => Object.values(row)[0] as Cell);
}

/** All changes of `work` in one transaction: otherwise each change is a transaction of its own. */
export function inTransaction(db: Database, work: () => void): void {
  db.exec('BEGIN');
  work();
  db.exec('COMMIT');
}

/** SQLITE_CORRUPT. The package has no error codes, only SQLite's messages. */
export function isCorruption(error: unknown): boolean {
  return (
    error instanceof sqlite.SQLite3Error && error.message === 'database disk image is malformed'
  );
}

/**
 * SQLite as the reference for tests: the results, ranks and marks of the engine are compared with the real
 * FTS5. `node-sqlite3-wasm` is SQLite compiled to WebAssembly: it needs neither a compiler nor a binary for
 * the platform. Queries are prepared again each time, because a statement that failed once also fails at its
 * next use.
 */
import sqlite, { type Database } from 'node-sqlite3-wasm';

type Value = string | number;

/** A database in memory. */
export const openSqlite = (): Database => new sqlite.Database(':memory:');

/** The rows of a query as objects with a property for each column. */
export function rowsOf<Row>(db: Database, sql: string, ...values: Value[]): Row[] {
  return db.all(sql, values) as unknown[] as Row[];
}

/** The first column of each row. */
export function columnOf<Cell>(db: Database, sql: string, ...values: Value[]): Cell[] {
  return db.all(sql, values).map((row) => Object.values(row)[0] as Cell);
}

/** Makes all changes of `work` in one transaction. Otherwise each change is one. */
export function inTransaction(db: Database, work: () => void): void {
  db.exec('BEGIN');
  work();
  db.exec('COMMIT');
}

/** SQLITE_CORRUPT. The package has no error codes, only the messages of SQLite. */
export function isCorruption(error: unknown): boolean {
  return (
    error instanceof sqlite.SQLite3Error && error.message === 'database disk image is malformed'
  );
}

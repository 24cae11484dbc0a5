/**
 * Reads tables of the SQLite files of other programs. It opens a copy in a temporary folder
 * (sqlite-copy.ts), because the other program may be running. SQLite is WebAssembly
 * (node-sqlite3-wasm), which is loaded when the first such file is read.
 */
import { AppError, isAppError } from '../../base/errors.js';
import { copyDatabase, type DatabaseFile } from './sqlite-copy.js';
import { convertToUtf8, utf16EncodingOf, WITHOUT_SHARED_MEMORY } from './sqlite-utf16.js';

export const SQLITE_MAGIC = 'SQLite format 3\u0000';

export type Row = Readonly<Record<string, unknown>>;

/** A value in a query. */
export type SqlValue = string | number | Uint8Array;

export interface SqliteFile {
  readonly tables: ReadonlySet<string>;
  /** The names of the columns, in lower case; empty if there is no such table. */
  columns(table: string): ReadonlySet<string>;
  /** Yields the rows of a query. Blobs are bytes, integers above 2^53 are bigint. CORRUPT. */
  rows(sql: string, values?: readonly SqlValue[]): Iterable<Row>;
  /** Makes queries by these columns fast. Does nothing if the file is damaged: queries still work. */
  index(table: string, columns: readonly string[]): void;
}

/**
 * Yields what `work` yields for a copy of the file. CORRUPT if it is damaged, FILESYSTEM_ERROR,
 * STORAGE_FULL, TOO_LARGE (in an archive).
 */
export async function* withSqlite<T>(
  original: DatabaseFile,
  work: (file: SqliteFile) => Iterable<T>,
): AsyncGenerator<T> {
  const path = original.file.diskPath ?? original.file.name;
  const copy = await copyDatabase(original);
  try {
    const { Database } = (await import('node-sqlite3-wasm')).default;
    const encoding = await utf16EncodingOf(copy.path);
    const utf8Path = encoding === undefined ? copy.path : `${copy.path}-utf8`;
    const database = withSqliteErrors(path, () => {
      if (encoding !== undefined) convertToUtf8(() => new Database(copy.path), encoding, utf8Path);
      return new Database(utf8Path, { fileMustExist: true });
    });
    try {
      withSqliteErrors(path, () => database.exec(WITHOUT_SHARED_MEMORY));
      yield* withSqliteErrors(path, () => work(viewOf(database, path)));
    } finally {
      database.close();
    }
  } finally {
    await copy.remove();
  }
}

/** The part of the package's `Database` that is used here. */
interface Reader {
  prepare(sql: string): {
    iterate(values: SqlValue[]): Iterable<unknown>;
    finalize(): void;
  };
}

function viewOf(database: Reader, path: string): SqliteFile {
  function* rows(sql: string, values: readonly SqlValue[] = []): Generator<Row> {
    const statement = withSqliteErrors(path, () => database.prepare(sql));
    try {
      const found = statement.iterate([...values])[Symbol.iterator]();
      for (;;) {
        const { done, value } = withSqliteErrors(path, () => found.next());
        if (done) return;
        yield value as Row;
      }
    } finally {
      // After an error of `next`, SQLite throws the same error here again.
      withSqliteErrors(path, () => statement.finalize());
    }
  }
  const named = rows(`SELECT name FROM sqlite_master WHERE type = 'table'`);
  const tables = new Set([...named].map(({ name }) => String(name)));
  return {
    tables,
    rows,
    index(table, columns) {
      try {
        for (const _none of rows(`CREATE INDEX daybook ON ${table} (${columns.join(', ')})`)) break;
      } catch (error) {
        if (!isAppError(error, 'CORRUPT')) throw error;
      }
    },
    columns: (table) =>
      new Set(
        tables.has(table)
          ? [...rows('SELECT name FROM pragma_table_info(?)', [table])].map(({ name }) =>
              String(name).toLowerCase(),
            )
          : [],
      ),
  };
}

function withSqliteErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const message = cause instanceof Error ? cause.message : '';
    throw new AppError('CORRUPT', `${path} cannot be read as an SQLite file: ${message}.`, {
      details: { path },
      cause,
    });
  }
}

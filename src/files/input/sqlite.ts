/**
 * Reads tables of the SQLite files of other programs. It opens a copy in a temporary folder
 * (sqlite-copy.ts), because the other program may be running. SQLite is WebAssembly
 * (node-sqlite3-wasm), which is loaded when the first such file is read.
 */
import { AppError, isAppError } from '../../base/errors.js';
import { regularBytes } from './regular-file.js';
import { copyDatabase, type DatabaseFile } from './sqlite-copy.js';

export const SQLITE_MAGIC = 'SQLite format 3\u0000';
/** The position in the header of the encoding of texts: 1 is UTF-8; 2 and 3 are UTF-16. */
const ENCODING_AT = 56;

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
    await requireUtf8(copy.path, path);
    const { Database } = (await import('node-sqlite3-wasm')).default;
    const database = withSqliteErrors(path, () => new Database(copy.path, { fileMustExist: true }));
    try {
      // Otherwise SQLite needs shared memory for the log, which WebAssembly does not have.
      withSqliteErrors(path, () => database.exec('PRAGMA locking_mode = EXCLUSIVE'));
      yield* withSqliteErrors(path, () => work(viewOf(database, path)));
    } finally {
      database.close();
    }
  } finally {
    await copy.remove();
  }
}

/** The package is built without UTF-16, and reports such a file as damaged. */
async function requireUtf8(copy: string, path: string): Promise<void> {
  for await (const part of regularBytes(copy)) {
    const encoding = part.byteLength < ENCODING_AT + 4 ? 0 : part[ENCODING_AT + 3];
    if (encoding !== 2 && encoding !== 3) return;
    throw new AppError('CORRUPT', `${path} is an SQLite file with texts in UTF-16.`, {
      hint: 'Daybook reads only SQLite files with texts in UTF-8. Convert it: sqlite3 old.db .dump | sqlite3 new.db',
      details: { path },
    });
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

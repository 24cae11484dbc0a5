/** Detects SQLite files of a source by their tables and columns, and reads them. */
import { isUtf8 } from 'node:buffer';
import { firstOf } from '../../../base/async/first-of.js';
import { type AppError, isAppError } from '../../../base/errors.js';
import { parsedJson } from '../../../base/json.js';
import { objectIn } from '../../../base/json-fields.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import {
  type Row,
  SQLITE_MAGIC,
  type SqliteFile,
  type SqlValue,
  withSqlite,
} from '../../../files/input/sqlite.js';
import type { DatabaseFile } from '../../../files/input/sqlite-copy.js';
import { readStamp } from '../../../files/read/stamp.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { unobserved } from '../../input/observed-input.js';
import type {
  ImportedMessage,
  ImportItem,
  ReadOptions,
  RecordLocation,
  Source,
} from '../../source-interface.js';
import { roleIn } from '../text/roles.js';

/** Errors that concern one file. */
const UNREADABLE: readonly AppError['code'][] = ['CORRUPT', 'TOO_LARGE'];
const NAME = /\.(db|sqlite|sqlite3|vscdb)$/i;

/** The files that begin with the SQLite header. A file that was given alone may have any name. */
async function databasesIn({ files, form }: Input): Promise<DatabaseFile[]> {
  const found: DatabaseFile[] = [];
  for (const file of files) {
    if ((form === 'file' || NAME.test(file.name)) && (await isSqlite(unobserved(file)))) {
      const isPacked = file.diskPath === undefined;
      const log = isPacked ? files.find(({ name }) => name === `${file.name}-wal`) : undefined;
      found.push({ file, log });
    }
  }
  return found;
}

/** By file: whether it is an SQLite file. Several sources need it. */
const verdicts = new WeakMap<InputFile, Promise<boolean>>();

function isSqlite(file: InputFile): Promise<boolean> {
  const verdict = verdicts.get(file) ?? beginsAsSqlite(file);
  verdicts.set(file, verdict);
  return verdict;
}

async function beginsAsSqlite(file: InputFile): Promise<boolean> {
  const start = (await firstOf(file.bytes()))?.subarray(0, SQLITE_MAGIC.length) ?? [];
  return Buffer.from(start).toString('latin1') === SQLITE_MAGIC;
}

interface Columns {
  readonly names: ReadonlySet<string>;
  /** CORRUPT or TOO_LARGE: not even the tables of the file can be listed. */
  readonly damage?: AppError;
}

/** By file: its columns, read only once, because the file is copied for that and several sources need them. */
const columnsByFile = new WeakMap<InputFile, Promise<Columns>>();

function columnsIn(database: DatabaseFile): Promise<Columns> {
  const file = unobserved(database.file);
  const columns = columnsByFile.get(file) ?? columnsOf({ ...database, file });
  columnsByFile.set(file, columns);
  return columns;
}

/**
 * Whether the file has all columns of one of `lists`. Names are `table.column`. False if the file is
 * damaged.
 */
async function hasColumns(
  database: DatabaseFile,
  lists: readonly (readonly string[])[],
): Promise<boolean> {
  const { names: found } = await columnsIn(database);
  return lists.some((names) => names.every((name) => found.has(name.toLowerCase())));
}

/**
 * Throws CORRUPT if the input has an SQLite file that is damaged, so that no source detects it, and
 * TOO_LARGE if it has one in an archive that is too large to be unpacked.
 */
export async function requireSoundDatabases(input: Input): Promise<void> {
  for (const database of await databasesIn(input)) {
    const { damage } = await columnsIn(database);
    if (damage !== undefined) throw damage;
  }
}

async function columnsOf(original: DatabaseFile): Promise<Columns> {
  const names = new Set<string>();
  const list = (database: SqliteFile) => {
    for (const table of database.tables) {
      for (const column of columnsOrNone(database, table)) {
        names.add(`${table}.${column}`.toLowerCase());
      }
    }
    return [];
  };
  try {
    await firstOf(withSqlite(original, list));
  } catch (error) {
    if (!isAppError(error) || !UNREADABLE.includes(error.code)) throw error;
    return { names, damage: error };
  }
  return { names };
}

/** SQLite cannot list the columns of a virtual table if it does not have the extension of the table. */
function columnsOrNone(database: SqliteFile, table: string): Iterable<string> {
  try {
    return database.columns(table);
  } catch (error) {
    if (!isAppError(error, 'CORRUPT')) throw error;
    return [];
  }
}

export interface SqliteSource extends Pick<Source, 'kind' | 'title'> {
  /** Names as `table.column`. A file that has all of these columns belongs to the source. */
  readonly columns: readonly string[];
  /** The columns of an older version of the format. */
  readonly olderColumns?: readonly string[];
  items(database: SqliteFile, file: InputFile, options: ReadOptions): Iterable<ImportItem>;
}

/** A source that reads every SQLite file of its format in the input and ignores other files. */
export function sqliteSource(source: SqliteSource): Source {
  const { kind, title, columns, olderColumns, items } = source;
  const forms = olderColumns === undefined ? [columns] : [columns, olderColumns];
  return {
    kind,
    title,
    async detect(input) {
      for (const database of await databasesIn(input)) {
        if (await hasColumns(database, forms)) return true;
      }
      return false;
    },
    async *read(input, options) {
      for (const original of await databasesIn(input)) {
        const { file } = original;
        options.signal?.throwIfAborted();
        if (options.isKnown?.(await versionOf(file))) continue;
        // If the file was given alone, it is read even without these columns, so that the error names the
        // missing table.
        if (input.form !== 'file' && !(await hasColumns(original, forms))) continue;
        yield* itemsOfDatabase(original, (database) => items(database, file, options));
      }
    },
  };
}

/** The file with the size and time of its write-ahead log: SQLite writes new rows only there at first. */
async function versionOf(file: InputFile): Promise<InputFile> {
  const log = file.diskPath && (await readStamp(`${file.diskPath}-wal`));
  if (!log) return file;
  const modifiedAtMs = Math.max(file.modifiedAtMs, Number(log.mtimeNs) / 1e6);
  return { ...file, sizeBytes: file.sizeBytes + Number(log.size), modifiedAtMs };
}

/**
 * Yields the items of a file. If the file is damaged, the last item is a problem; the items before it
 * remain valid.
 */
async function* itemsOfDatabase(
  original: DatabaseFile,
  read: (database: SqliteFile) => Iterable<ImportItem>,
): AsyncGenerator<ImportItem> {
  try {
    yield* withSqlite(original, read);
  } catch (error) {
    if (!isAppError(error) || !UNREADABLE.includes(error.code)) throw error;
    const { name } = original.file;
    yield { type: 'problem', path: name, code: error.code, message: error.message };
  }
}

/**
 * The id of a row: its text, and the value for queries. The text of an id in bytes is their text in UTF-8
 * or, if they are not readable text, their hexadecimal digits.
 */
export function rowId(id: Row[string]): { readonly id: string; readonly key: SqlValue } {
  if (!(id instanceof Uint8Array)) return { id: String(id), key: String(id) };
  const text = Buffer.from(id).toString('utf8');
  const isReadable = isUtf8(id) && /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(text);
  return { id: isReadable ? text : Buffer.from(id).toString('hex'), key: id };
}

/** The JSON object in a text column; an empty object if there is none. */
export const jsonIn = (value: Row[string]): JsonObject =>
  objectIn(typeof value === 'string' ? parsedJson(value) : undefined);

/**
 * The messages of a conversation (a query with `wholeBytes('content')`), and a problem for each row that is
 * not a message. A row needs a role that Daybook has, and a text.
 */
export function messageRows(
  rows: Iterable<Row>,
  location: Required<RecordLocation>,
  otherFields: (row: Row) => Partial<ImportedMessage>,
): { readonly messages: ImportedMessage[]; readonly problems: ImportItem[] } {
  const messages: ImportedMessage[] = [];
  const problems: ImportItem[] = [];
  for (const row of rows) {
    const [id, role, content] = [String(row['id']), roleIn(row['role']), wholeText(row, 'content')];
    if (role !== undefined && typeof content === 'string') {
      messages.push({ id, role, content, ...otherFields(row) });
      continue;
    }
    const reason =
      typeof content === 'string' ? `the role ${JSON.stringify(row['role'])}` : 'no text';
    problems.push({
      type: 'problem',
      path: location.path,
      record: `${location.record}, message ${id}`,
      code: 'VALIDATION_ERROR',
      message: `The message has ${reason}. It was not imported.`,
    });
  }
  return { messages, problems };
}

/**
 * For queries whose rows are read with `wholeText`: the bytes of a text that has a NUL character, because
 * SQLite's texts end there. `column` may have the name of its table before it.
 */
export const wholeBytes = (column: string): string =>
  `CASE WHEN instr(CAST(${column} AS BLOB), x'00') THEN CAST(${column} AS BLOB) END AS ${column.replace(/^.*\./, '')}Bytes`;

/** The value of a column, also of one without `wholeBytes` in its query. */
export function wholeText(row: Row, column: string): unknown {
  const [text, bytes] = [row[column], row[`${column}Bytes`]];
  const isText = typeof text === 'string' && bytes instanceof Uint8Array;
  return isText ? Buffer.from(bytes).toString('utf8') : text;
}

/**
 * The rows of `table`, and for each conversation that only messages name, a row with its id alone: SQLite
 * keeps such messages if a program does not check foreign keys. `key`: the column of `messages`.
 */
export function* withOrphans(
  database: SqliteFile,
  rows: Iterable<Row>,
  { table, key }: { readonly table: string; readonly key: string },
): Generator<Row> {
  yield* rows;
  const orphans = `SELECT DISTINCT ${key} AS id FROM messages WHERE ${key} IS NOT NULL AND ${key} NOT IN (SELECT id FROM ${table}) ORDER BY 1`;
  yield* database.rows(orphans);
}

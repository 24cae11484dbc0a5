/**
 * Converts an SQLite file with texts in UTF-16 to one in UTF-8. The SQLite of node-sqlite3-wasm is built
 * without UTF-16: it takes the bytes of every text, also those of the schema, as UTF-8. So a function
 * converts these bytes, first in the schema and then in the rows.
 */
import type { Database } from 'node-sqlite3-wasm';
import { firstOf } from '../../base/async/first-of.js';
import { regularBytes } from './regular-file.js';

/** The position in the header of the encoding of texts: 1 is UTF-8. */
const ENCODING_AT = 56;
const ENCODINGS: Readonly<Record<number, string>> = { 2: 'utf-16le', 3: 'utf-16be' };

/** Otherwise SQLite needs shared memory for the write-ahead log, which WebAssembly does not have. */
export const WITHOUT_SHARED_MEMORY = 'PRAGMA locking_mode = EXCLUSIVE';

/** The name of the encoding if texts of the file are in UTF-16. FILESYSTEM_ERROR. */
export async function utf16EncodingOf(path: string): Promise<string | undefined> {
  const header = Buffer.from((await firstOf(regularBytes(path))) ?? []);
  const isCut = header.byteLength < ENCODING_AT + 4;
  return isCut ? undefined : ENCODINGS[header.readUInt32BE(ENCODING_AT)];
}

/**
 * `open` opens a copy of the file, whose schema is changed; `target` is the path of the new file. It has no
 * constraints, virtual tables, views, triggers and indexes of expressions. Throws what SQLite throws.
 */
export function convertToUtf8(open: () => Database, encoding: string, target: string): void {
  withFunction(open, encoding, convertSchema);
  // SQLite reads the schema when it opens the file.
  withFunction(open, encoding, (file) => copyRows(file, target));
}

function withFunction(open: () => Database, encoding: string, work: (file: Database) => void) {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const file = open();
  try {
    file.function('utf8_of', (bytes) =>
      bytes instanceof Uint8Array ? Buffer.from(decoder.decode(bytes)) : bytes,
    );
    file.exec(WITHOUT_SHARED_MEMORY);
    work(file);
  } finally {
    file.close();
  }
}

/** With `writable_schema`, SQLite opens a file whose schema it cannot read. */
function convertSchema(file: Database): void {
  file.exec('PRAGMA writable_schema = ON');
  const columns = ['type', 'name', 'tbl_name', 'sql'];
  file.exec(`UPDATE sqlite_master SET ${columns.map((name) => `${name} = ${textOf(name)}`)}`);
  file.exec(`DELETE FROM sqlite_master WHERE type IN ('view', 'trigger') OR rootpage = 0`);
}

function copyRows(file: Database, target: string): void {
  file.run('ATTACH ? AS utf8', target);
  file.exec('PRAGMA utf8.synchronous = OFF');
  const sql = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;
  for (const { name } of file.all(sql)) {
    const table = quoted(String(name));
    const columns = file.all('SELECT * FROM pragma_table_info(?)', [String(name)]);
    const typed = columns.map((column) => `${nameOf(column)} ${typeOf(column)}`);
    const values = columns.map((column) => textOf(nameOf(column), column['dflt_value']));
    // `exec` would also run what a hostile file adds after the first statement.
    file.run(`CREATE TABLE utf8.${table} (${typed})`);
    file.run(`INSERT INTO utf8.${table} SELECT ${values} FROM main.${table} NOT INDEXED`);
    for (const [index, key] of indexesOf(file, String(name)).entries()) {
      file.run(`CREATE INDEX utf8.${quoted(`${name} ${index}`)} ON ${table} (${key})`);
    }
  }
}

/** The columns of each index and of the primary key. */
function indexesOf(file: Database, table: string): string[][] {
  const primary = file.all('SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk', [table]);
  const named = file.all(`SELECT name FROM pragma_index_list(?) WHERE origin <> 'pk'`, [table]);
  const others = named.map(({ name }) =>
    file.all('SELECT name FROM pragma_index_info(?) ORDER BY seqno', [String(name)]),
  );
  const keys = [primary, ...others].filter((columns) => columns.length > 0);
  const isOfColumns = (columns: typeof primary) => columns.every(({ name }) => name !== null);
  return keys.filter(isOfColumns).map((columns) => columns.map(nameOf));
}

/**
 * SQL for the value of a column with its text in UTF-8. As bytes, the text is complete also after a NUL.
 * A row that is older than the column has its default, which is in UTF-8 like the schema.
 */
function textOf(column: string, defaultValue: unknown = null): string {
  const isConverted = `typeof(${column}) <> 'text' OR ${column} = (${defaultValue})`;
  return `CASE WHEN ${isConverted} THEN ${column} ELSE CAST(utf8_of(CAST(${column} AS BLOB)) AS TEXT) END`;
}

/** In quotes, because the file can have any text as a type. An empty one in quotes would mean NUMERIC. */
const typeOf = ({ type }: Readonly<Record<string, unknown>>): string =>
  type === '' ? '' : quoted(String(type));

const nameOf = ({ name }: Readonly<Record<string, unknown>>): string => quoted(String(name));

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

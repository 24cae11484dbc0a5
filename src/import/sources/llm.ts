/**
 * The SQLite log of the command `llm`: one row for each prompt with its response. Since version 0.32 it stores
 * new prompts in other tables (llm-threads.ts).
 */

import { definedOrNothing, textIn } from '../../base/json-fields.js';
import type { InputFile } from '../../files/input/input-types.js';
import type { SqliteFile, SqlValue } from '../../files/input/sqlite.js';
import { rowId, sqliteSource, wholeBytes, wholeText } from '../reading/documents/databases.js';
import { paragraphs } from '../reading/text/paragraphs.js';
import { timeIn } from '../reading/text/times.js';
import type { ImportedMessage, ImportItem } from '../source-interface.js';
import { attachedLine, type OlderPart, THREAD_COLUMNS, threads } from './llm-threads.js';

const COLUMNS = [
  'conversations.id',
  'responses.prompt',
  'responses.response',
  'responses.conversation_id',
];

export const llm = sqliteSource({
  kind: 'llm',
  title: 'logs of llm',
  columns: THREAD_COLUMNS,
  olderColumns: COLUMNS,
  *items(database, file, { activity }) {
    const isOld = COLUMNS.every((name) => {
      const [table = '', column = ''] = name.split('.');
      return database.columns(table).has(column);
    });
    // llm makes no index, and without one each conversation would cost a pass over all responses.
    if (isOld) database.index('responses', ['conversation_id', 'datetime_utc']);
    const done = new Set<string>();
    const hasThreads = database.columns('threads').has('tip_message_hash');
    if (hasThreads) {
      yield* threads(database, file, activity, (id) => {
        done.add(id);
        return isOld ? olderPart(database, id) : { messages: [], ids: new Set() };
      });
    }
    if (isOld || !hasThreads) yield* conversations(database, file, done);
  },
});

function olderPart(database: SqliteFile, id: string): OlderPart {
  const rows = database.rows('SELECT id FROM responses WHERE conversation_id = ?', [id]);
  return {
    messages: [...messages(database, id)],
    ids: new Set([...rows].map((row) => String(row['id']))),
  };
}

/** `done`: ids of the conversations that were continued in the newer tables. */
function* conversations(
  database: SqliteFile,
  file: InputFile,
  done: ReadonlySet<string>,
): Generator<ImportItem> {
  for (const row of database.rows('SELECT * FROM conversations ORDER BY id')) {
    const { id, key } = rowId(row['id']);
    if (done.has(id)) continue;
    yield {
      type: 'conversation',
      path: file.name,
      record: `conversation ${id}`,
      fileTimeMs: file.modifiedAtMs,
      id,
      title: textIn(row['name']),
      metadata: definedOrNothing({ model: textIn(row['model']) }),
      messages: [...messages(database, key)],
    };
  }
}

/** Each row repeats the system prompt; it becomes a message only when it changes. */
function* messages(database: SqliteFile, key: SqlValue): Generator<ImportedMessage> {
  const texts = ['system', 'prompt', 'response'].filter((name) =>
    database.columns('responses').has(name),
  );
  const whole = texts.map(wholeBytes).join(', ');
  const sql = `SELECT *, ${whole} FROM responses WHERE conversation_id = ? ORDER BY datetime_utc, rowid`;
  let system: string | undefined;
  for (const row of database.rows(sql, [key])) {
    const own = String(row['id']);
    const createdAt = timeIn(row['datetime_utc']);
    const [given, typed, response] = ['system', 'prompt', 'response'].map((name) =>
      textIn(wholeText(row, name)),
    );
    const { fragments, attachments } = extrasOf(database, own);
    const prompt = paragraphs([...fragments, typed, ...attachments]);
    if (given !== undefined && given !== system) {
      yield { id: `${own}:system`, role: 'system', content: given, createdAt };
      system = given;
    }
    if (prompt !== '') yield { id: `${own}:prompt`, role: 'user', content: prompt, createdAt };
    if (response === undefined) continue;
    const metadata = definedOrNothing({ model: textIn(row['model']) });
    yield { id: `${own}:response`, role: 'assistant', content: response, createdAt, metadata };
  }
}

/** Texts that llm put before the prompt, and lines for files that were attached to it. */
function extrasOf(database: SqliteFile, id: string) {
  /** The rows of `table` whose ids are in the column `key` of the links of this response. */
  const rowsOf = (table: string, key: string, columns: string) => {
    const links = `prompt_${table}`;
    const has = database.columns(links).has('response_id') && database.columns(table).has('id');
    const sql = `SELECT ${columns} FROM ${links} JOIN ${table} AS t ON t.id = ${key} WHERE response_id = ? ORDER BY ${links}."order"`;
    return has ? [...database.rows(sql, [id])] : [];
  };
  const fragments = rowsOf('fragments', 'fragment_id', `t.content, ${wholeBytes('t.content')}`);
  const files = rowsOf('attachments', 'attachment_id', 't.id, t.type, t.path, t.url');
  return {
    fragments: fragments.flatMap((row) => textIn(wholeText(row, 'content')) ?? []),
    attachments: files.map(attachedLine),
  };
}

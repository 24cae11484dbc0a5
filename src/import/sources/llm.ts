/** The SQLite log of the command `llm`: one row for each prompt with its response. */
import type { InputFile } from '../../files/input/input-types.js';
import type { SqliteFile, SqlValue } from '../../files/input/sqlite.js';
import { rowId, sqliteSource } from '../reading/databases.js';
import { definedOrNothing, textIn } from '../reading/fields.js';
import { timeIn } from '../reading/times.js';
import type { ImportedMessage, ImportItem } from '../source-interface.js';

const COLUMNS = [
  'conversations.id',
  'responses.prompt',
  'responses.response',
  'responses.conversation_id',
];

export const llm = sqliteSource({
  kind: 'llm',
  title: 'logs of llm',
  columns: COLUMNS,
  items: conversations,
});

function* conversations(database: SqliteFile, file: InputFile): Generator<ImportItem> {
  // llm makes no index, and without one each conversation would cost a pass over all responses.
  database.index('responses', ['conversation_id', 'datetime_utc']);
  for (const row of database.rows('SELECT * FROM conversations ORDER BY id')) {
    const { id, key } = rowId(row['id']);
    yield {
      type: 'conversation',
      ...{ path: file.name, record: `conversation ${id}`, fileTimeMs: file.modifiedAtMs, id },
      title: textIn(row['name']),
      metadata: definedOrNothing({ model: textIn(row['model']) }),
      messages: [...messages(database, key)],
    };
  }
}

/** Each row repeats the system prompt; it becomes a message only when it changes. */
function* messages(database: SqliteFile, key: SqlValue): Generator<ImportedMessage> {
  const sql = 'SELECT * FROM responses WHERE conversation_id = ? ORDER BY datetime_utc, rowid';
  let system: string | undefined;
  for (const row of database.rows(sql, [key])) {
    const own = String(row['id']);
    const createdAt = timeIn(row['datetime_utc']);
    const [given, prompt, response] = ['system', 'prompt', 'response'].map((name) =>
      textIn(row[name]),
    );
    if (given !== undefined && given !== system) {
      yield { id: `${own}:system`, role: 'system', content: given, createdAt };
      system = given;
    }
    if (prompt !== undefined)
      yield { id: `${own}:prompt`, role: 'user', content: prompt, createdAt };
    if (response === undefined) continue;
    const metadata = definedOrNothing({ model: textIn(row['model']) });
    yield { id: `${own}:response`, role: 'assistant', content: response, createdAt, metadata };
  }
}

/** The SQLite file of the MCP persistence server (mnemosyne): conversations, messages and summaries. */
import type { InputFile } from '../../files/input/input-types.js';
import type { Row, SqliteFile } from '../../files/input/sqlite.js';
import { jsonIn, sqliteSource } from '../reading/databases.js';
import { definedOrNothing, textIn } from '../reading/fields.js';
import { roleIn } from '../reading/roles.js';
import { timeIn } from '../reading/times.js';
import type { ImportedMessage, ImportItem } from '../source.js';

const COLUMNS = [
  'conversations.id',
  'messages.conversation_id',
  'messages.role',
  'messages.content',
];

export const mnemosyne = sqliteSource({
  kind: 'mnemosyne',
  title: 'SQLite file of the MCP persistence server',
  columns: COLUMNS,
  items: conversations,
});

function* conversations(database: SqliteFile, file: InputFile): Generator<ImportItem> {
  const hasSummaries = database.columns('conversation_summaries').has('summary_text');
  for (const row of database.rows('SELECT * FROM conversations ORDER BY created_at, rowid')) {
    const id = String(row['id']);
    const summaries = hasSummaries ? summariesOf(database, id) : undefined;
    yield {
      type: 'conversation',
      ...{ path: file.name, record: `conversation ${id}`, fileTimeMs: file.modifiedAtMs },
      ...{ id, isKey: true },
      title: textIn(row['title']),
      createdAt: timeIn(row['created_at']),
      updatedAt: timeIn(row['updated_at']),
      metadata: definedOrNothing({ ...jsonIn(row['metadata']), summaries }),
      messages: [...messages(database, id)],
    };
  }
}

function* messages(database: SqliteFile, id: string): Generator<ImportedMessage> {
  const sql = 'SELECT * FROM messages WHERE conversation_id = ? ORDER BY created_at, rowid';
  for (const row of database.rows(sql, [id])) {
    const role = roleIn(row['role']);
    if (role === undefined || typeof row['content'] !== 'string') continue;
    yield {
      ...{ id: String(row['id']), role, content: row['content'] },
      createdAt: timeIn(row['created_at']),
      parentId: textIn(row['parent_message_id']),
      metadata: definedOrNothing(jsonIn(row['metadata'])),
    };
  }
}

function summariesOf(database: SqliteFile, id: string) {
  const sql = 'SELECT * FROM conversation_summaries WHERE conversation_id = ? ORDER BY level';
  const entries = [...database.rows(sql, [id])].map((row: Row) => [
    String(row['level']),
    definedOrNothing({
      text: textIn(row['summary_text']),
      provider: textIn(row['provider']),
      model: textIn(row['model']),
      generatedAt: timeIn(row['generated_at']),
    }),
  ]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

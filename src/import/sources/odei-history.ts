/** The SQLite file of odei-history: threads and their messages. Its JSON Lines have Daybook's format. */
import type { InputFile } from '../../files/input/input-types.js';
import type { SqliteFile } from '../../files/input/sqlite.js';
import { jsonIn, sqliteSource } from '../reading/databases.js';
import { definedOrNothing, listIn, textIn } from '../reading/fields.js';
import { roleIn } from '../reading/roles.js';
import { timeIn } from '../reading/times.js';
import type { ImportedMessage, ImportItem } from '../source-interface.js';

const COLUMNS = ['threads.id', 'threads.module', 'messages.threadId', 'messages.seq'];

export const odeiHistory = sqliteSource({
  kind: 'odei-history',
  title: 'SQLite file of odei-history',
  columns: COLUMNS,
  items: threads,
});

function* threads(database: SqliteFile, file: InputFile): Generator<ImportItem> {
  for (const row of database.rows('SELECT * FROM threads ORDER BY createdAt, rowid')) {
    const id = String(row['id']);
    const { tags, ...meta } = jsonIn(row['meta']);
    yield {
      type: 'conversation',
      ...{ path: file.name, record: `thread ${id}`, fileTimeMs: file.modifiedAtMs },
      ...{ id, isKey: true },
      title: textIn(row['title']),
      module: textIn(row['module']),
      tags: listIn(tags).filter((tag) => typeof tag === 'string'),
      createdAt: timeIn(row['createdAt']),
      updatedAt: timeIn(row['updatedAt']),
      metadata: definedOrNothing(meta),
      messages: [...messages(database, id)],
    };
  }
}

function* messages(database: SqliteFile, id: string): Generator<ImportedMessage> {
  const sql = 'SELECT * FROM messages WHERE threadId = ? ORDER BY seq, rowid';
  for (const row of database.rows(sql, [id])) {
    const role = roleIn(row['role']);
    if (role === undefined || typeof row['content'] !== 'string') continue;
    const createdAt = timeIn(row['createdAt']);
    yield { id: String(row['id']), role, content: row['content'], createdAt };
  }
}

/** The SQLite file of odei-history: threads and their messages. Its JSON Lines have Daybook's format. */

import { definedOrNothing, textIn, textsIn } from '../../base/json-fields.js';
import type { InputFile } from '../../files/input/input-types.js';
import type { SqliteFile } from '../../files/input/sqlite.js';
import {
  jsonIn,
  messageRows,
  rowId,
  sqliteSource,
  wholeBytes,
  withOrphans,
} from '../reading/documents/databases.js';
import { timeIn } from '../reading/text/times.js';
import type { ImportItem } from '../source-interface.js';

const COLUMNS = ['threads.id', 'threads.module', 'messages.threadId', 'messages.seq'];

export const odeiHistory = sqliteSource({
  kind: 'odei-history',
  title: 'SQLite file of odei-history',
  columns: COLUMNS,
  items: threads,
});

function* threads(database: SqliteFile, file: InputFile): Generator<ImportItem> {
  const named = database.rows('SELECT * FROM threads ORDER BY createdAt, rowid');
  const sql = `SELECT *, ${wholeBytes('content')} FROM messages WHERE threadId = ? ORDER BY seq, rowid`;
  for (const row of withOrphans(database, named, { table: 'threads', key: 'threadId' })) {
    const { id, key } = rowId(row['id']);
    const { tags, ...meta } = jsonIn(row['meta']);
    const location = { path: file.name, record: `thread ${id}` };
    const { messages, problems } = messageRows(database.rows(sql, [key]), location, (message) => ({
      createdAt: timeIn(message['createdAt']),
    }));
    yield* problems;
    yield {
      type: 'conversation',
      ...location,
      fileTimeMs: file.modifiedAtMs,
      id,
      isKey: true,
      title: textIn(row['title']),
      module: textIn(row['module']),
      tags: textsIn(tags),
      createdAt: timeIn(row['createdAt']),
      updatedAt: timeIn(row['updatedAt']),
      metadata: definedOrNothing(meta),
      messages,
    };
  }
}

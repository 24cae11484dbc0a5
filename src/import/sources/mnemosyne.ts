/** The SQLite file of the MCP persistence server (mnemosyne): conversations, messages, summaries and state. */
import { defined, parsedJson } from '../../base/json.js';
import { definedOrNothing, numberIn, textIn } from '../../base/json-fields.js';
import type { InputFile } from '../../files/input/input-types.js';
import type { Row, SqliteFile, SqlValue } from '../../files/input/sqlite.js';
import { CLIENT_ID } from '../../stores/conversations/document/conversation-id.js';
import { SUMMARY_LEVELS } from '../../stores/summaries/summary-file.js';
import {
  jsonIn,
  messageRows,
  rowId,
  sqliteSource,
  wholeBytes,
  withOrphans,
} from '../reading/documents/databases.js';
import { timeIn } from '../reading/text/times.js';
import type { ImportedConversation, ImportItem } from '../source-interface.js';

const COLUMNS = [
  'conversations.id',
  'messages.conversation_id',
  'messages.role',
  'messages.content',
];

const ACTIVE = 'active_conversation';
const WINDOW = 'context_window';
const PINNED = 'pinned_conversations';

export const mnemosyne = sqliteSource({
  kind: 'mnemosyne',
  title: 'SQLite file of the MCP persistence server',
  columns: COLUMNS,
  items: all,
});

function* all(database: SqliteFile, file: InputFile): Generator<ImportItem> {
  const state = stateOf(database);
  yield* conversations(database, file, pinnedIn(state));
  if (state.size > 0) yield stateItem(state, file);
}

/** The rows of `persistence_state`, by key. */
function stateOf(database: SqliteFile): Map<string, string> {
  const has = database.columns('persistence_state').has('value');
  const rows = has ? [...database.rows('SELECT key, value FROM persistence_state')] : [];
  return new Map(rows.map((row) => [String(row['key']), String(row['value'])]));
}

/** The ids of pinned conversations: a JSON list, or ids separated by commas. */
function pinnedIn(state: Map<string, string>): ReadonlySet<string> {
  const text = state.get(PINNED) ?? '';
  const list = parsedJson(text);
  return new Set(Array.isArray(list) ? list.map(String) : text.split(',').map((id) => id.trim()));
}

function stateItem(state: Map<string, string>, file: InputFile): ImportItem {
  const active = state.get(ACTIVE) ?? '';
  const messages = Number(state.get(WINDOW));
  const others = [...state].filter(([key]) => ![ACTIVE, WINDOW, PINNED].includes(key));
  return {
    type: 'state',
    path: file.name,
    record: 'persistence_state',
    activeConversation: CLIENT_ID.test(active) ? active : undefined,
    contextWindow: Number.isSafeInteger(messages) && messages > 0 ? messages : undefined,
    values: Object.fromEntries(others),
  };
}

function* conversations(
  database: SqliteFile,
  file: InputFile,
  pinned: ReadonlySet<string>,
): Generator<ImportItem> {
  const hasSummaries = database.columns('conversation_summaries').has('summary_text');
  const named = database.rows('SELECT * FROM conversations ORDER BY created_at, rowid');
  const sql = `SELECT *, ${wholeBytes('content')} FROM messages WHERE conversation_id = ? ORDER BY created_at, rowid`;
  const orphans = { table: 'conversations', key: 'conversation_id' };
  for (const row of withOrphans(database, named, orphans)) {
    const { id, key } = rowId(row['id']);
    const location = { path: file.name, record: `conversation ${id}` };
    const { messages, problems } = messageRows(database.rows(sql, [key]), location, (message) => ({
      createdAt: timeIn(message['created_at']),
      parentId: textIn(message['parent_message_id']),
      metadata: definedOrNothing(jsonIn(message['metadata'])),
    }));
    yield* problems;
    yield {
      type: 'conversation',
      ...location,
      fileTimeMs: file.modifiedAtMs,
      id,
      isKey: true,
      pinned: pinned.has(id) || undefined,
      title: textIn(row['title']),
      createdAt: timeIn(row['created_at']),
      updatedAt: timeIn(row['updated_at']),
      metadata: definedOrNothing(jsonIn(row['metadata'])),
      summaries: hasSummaries ? summariesOf(database, key) : undefined,
      messages,
    };
  }
}

/**
 * The source has the same levels as Daybook. A row without a text or a time, or with another level, is
 * ignored.
 */
function summariesOf(database: SqliteFile, key: SqlValue): ImportedConversation['summaries'] {
  const sql = 'SELECT * FROM conversation_summaries WHERE conversation_id = ? ORDER BY level';
  const entries = [...database.rows(sql, [key])].flatMap((row: Row) => {
    const level = SUMMARY_LEVELS.find((name) => name === row['level']);
    const [text, generatedAt] = [textIn(row['summary_text']), timeIn(row['generated_at'])];
    if (level === undefined || text === undefined || generatedAt === undefined) return [];
    const summary = {
      text,
      generatedAt,
      provider: textIn(row['provider']) ?? 'unknown',
      model: textIn(row['model']),
      messageCount: numberIn(row['message_count']) ?? 0,
      qualityScore: Math.min(Math.max(numberIn(row['quality_score']) ?? 0, 0), 1),
    };
    return [[level, defined(summary)]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/**
 * Sessions of OpenCode, from its SQLite file `opencode.db`: sessions, their messages, and the parts of each
 * message as JSON. The form is from `session.sql.ts` and `message-v2.ts` of anomalyco/opencode.
 */
import { definedOrNothing, isRecord, numberIn, objectIn, textIn } from '../../base/json-fields.js';
import type { InputFile } from '../../files/input/input-types.js';
import type { Row, SqliteFile } from '../../files/input/sqlite.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { jsonIn, sqliteSource } from '../reading/documents/databases.js';
import { unreadable } from '../reading/documents/documents.js';
import { type Origin, TurnBuilder } from '../reading/messages/turns.js';
import { fileLine } from '../reading/text/attachment-lines.js';
import { moduleOfFolder } from '../reading/text/module-of-folder.js';
import { paragraphs } from '../reading/text/paragraphs.js';
import { roleIn } from '../reading/text/roles.js';
import { timeIn } from '../reading/text/times.js';
import { type Activity, type ImportItem, SUBAGENT_TAG } from '../source-interface.js';

const COLUMNS = [
  ...['session.id', 'session.directory', 'session.title', 'session.time_created'],
  ...['message.session_id', 'message.time_created', 'message.data'],
  ...['part.message_id', 'part.data'],
];

export const opencode = sqliteSource({
  kind: 'opencode',
  title: 'sessions of OpenCode',
  columns: COLUMNS,
  *items(database, file, { activity }) {
    for (const row of database.rows('SELECT * FROM session ORDER BY time_created, id')) {
      yield* sessionOf(row, database, file, activity);
    }
  },
});

function* sessionOf(
  session: Row,
  database: SqliteFile,
  file: InputFile,
  activity: Activity,
): Generator<ImportItem> {
  const id = String(session['id']);
  const record = `session ${id}`;
  const turns = new TurnBuilder(activity);
  const { messageID: revertedFrom, partID } = jsonIn(session['revert']);
  const sql = 'SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id';
  let isReverted = false;
  for (const { id: messageId, data } of database.rows(sql, [id])) {
    const message = jsonIn(data);
    const isFirst = messageId === revertedFrom;
    if (isReverted || (isFirst && partID === undefined))
      turns.countLeftOut('messages that the user took back');
    else if (Object.keys(message).length === 0) {
      yield unreadable(file.name, `${record}, message ${messageId}`);
    } else {
      const end = isFirst ? partID : undefined; // the user took back only the parts from this one on
      addMessage(turns, String(messageId), message, partsOf(database, String(messageId), end));
    }
    isReverted ||= isFirst;
  }
  const messages = turns.messages();
  if (messages.length === 0) return; // OpenCode makes a session before the first prompt
  const cwd = textIn(session['directory']);
  const parent = textIn(session['parent_id']);
  yield {
    type: 'conversation',
    path: file.name,
    record,
    id,
    fileTimeMs: file.modifiedAtMs,
    title: titleOf(session),
    ...moduleOfFolder(cwd),
    tags: [
      ...(parent === undefined ? [] : [SUBAGENT_TAG]),
      ...(numberIn(session['time_archived']) === undefined ? [] : ['archived']),
    ],
    createdAt: timeIn(session['time_created']),
    updatedAt: timeIn(session['time_updated']),
    metadata: definedOrNothing({ cwd, parent }),
    messages,
    leftOut: turns.leftOut,
  };
}

/** The parts of a message; only those before `end` if it has that part. */
function partsOf(database: SqliteFile, messageId: string, end: unknown): JsonObject[] {
  const sql = 'SELECT id, data FROM part WHERE message_id = ? ORDER BY id';
  const parts = [...database.rows(sql, [messageId])];
  const at = parts.findIndex(({ id }) => id === end);
  return (at === -1 ? parts : parts.slice(0, at)).map(({ data }) => jsonIn(data));
}

/** Until OpenCode has made a title, it has the time of the session in its place. */
function titleOf({ title }: Row): string | undefined {
  const text = textIn(title);
  return text !== undefined && /^(New|Child) session - \d{4}-/.test(text) ? undefined : text;
}

function addMessage(
  turns: TurnBuilder,
  id: string,
  message: JsonObject,
  parts: readonly JsonObject[],
): void {
  const role = roleIn(message['role']);
  const isSummary = message['summary'] === true;
  if (role === undefined || isSummary) {
    turns.countLeftOut(isSummary ? 'compactions' : 'of an unknown role');
    return;
  }
  const { created, completed } = objectIn(message['time']);
  const createdAt = timeIn(completed) ?? timeIn(created);
  const content = paragraphs(parts.map((part) => addPart(turns, part, { id, createdAt })));
  if (content === '' && isRecord(message['error'])) turns.countLeftOut('messages of the program');
  turns.addMessage({
    id,
    role,
    createdAt,
    content,
    metadata: role === 'assistant' ? detailsOf(message) : undefined,
  });
}

function detailsOf(message: JsonObject): JsonObject | undefined {
  const tokens = objectIn(message['tokens']);
  const cache = objectIn(tokens['cache']);
  const usage = definedOrNothing({
    inputTokens: numberIn(tokens['input']),
    outputTokens: numberIn(tokens['output']),
    cacheReadTokens: numberIn(cache['read']),
    cacheWriteTokens: numberIn(cache['write']),
  });
  return definedOrNothing({ model: textIn(message['modelID']), usage });
}

/** Adds thinking and calls to the turn, and returns the text of the part; `undefined` if it has none. */
function addPart(turns: TurnBuilder, part: JsonObject, origin: Origin): string | undefined {
  const text = textIn(part['text']);
  switch (part['type']) {
    case 'text':
      if (part['synthetic'] !== true && part['ignored'] !== true) return text;
      turns.countLeftOut('injected context');
      return undefined;
    case 'reasoning':
      turns.addThinking(text, origin);
      return undefined;
    case 'tool': {
      const { status, input, output, error } = objectIn(part['state']);
      const result = textIn(output) ?? textIn(error);
      const name = textIn(part['tool']) ?? 'tool';
      turns.addToolCall({ name, input, result, isError: status === 'error' }, origin);
      return undefined;
    }
    case 'file':
      return fileLine({ ...part, mimeType: part['mime'] }) ?? '[file]';
    case 'subtask':
      return textIn(part['prompt']) ?? textIn(part['description']);
    case 'compaction':
      turns.countLeftOut('compactions');
      return undefined;
    case 'agent':
    case 'patch':
    case 'retry':
    case 'snapshot':
    case 'step-finish':
    case 'step-start':
      return undefined; // the state of the program
    default:
      turns.countLeftOut('parts of an unknown type');
      return undefined;
  }
}

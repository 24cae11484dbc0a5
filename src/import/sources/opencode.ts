/**
 * Sessions of OpenCode, from its SQLite file `opencode.db`. Version 1 has the tables `session`, `message` and `part`
 * (the parts of each message as JSON). Version 2 has `session_v2` and `session_message`; it copies the sessions of
 * version 1 once and leaves their tables in the file. Both versions can be used with the same file. The forms are
 * from `session.sql.ts`, `message-v2.ts` and `session-message.ts` of anomalyco/opencode.
 */
import {
  definedOrNothing,
  isRecord,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '../../base/json-fields.js';
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
  ...['session_v2.id', 'session_v2.directory', 'session_v2.title', 'session_v2.time_created'],
  ...['session_message.session_id', 'session_message.type', 'session_message.data'],
];
const OLDER_COLUMNS = [
  ...['session.id', 'session.directory', 'session.title', 'session.time_created'],
  ...['message.session_id', 'message.time_created', 'message.data'],
  ...['part.message_id', 'part.data'],
];

export const opencode = sqliteSource({
  kind: 'opencode',
  title: 'sessions of OpenCode',
  columns: COLUMNS,
  olderColumns: OLDER_COLUMNS,
  *items(database, file, { activity }) {
    for (const { session, version } of sessionsIn(database)) {
      const messages =
        version === 1 ? messagesOf(database, session) : messages2Of(database, session);
      yield* sessionOf(session, messages, file, activity);
    }
  },
});

/** A message in the form of version 1. It has no fields if it is damaged. */
interface StoredMessage {
  readonly id: string;
  readonly message: JsonObject;
  /** Those of `message` before the part with this id; all if there is none. */
  parts(end: unknown): readonly JsonObject[];
}

/**
 * A session that both versions have comes from the version that changed it last. A late version 1 also has the table
 * `session_message`, but only few sessions have their messages only there.
 */
function sessionsIn(database: SqliteFile): { session: Row; version: 1 | 2 }[] {
  const has = (table: string) => database.columns(table).size > 0;
  const rowsOf = (table: string) =>
    has(table) ? [...database.rows(`SELECT * FROM ${table} ORDER BY time_created, id`)] : [];
  const found = new Map<string, { session: Row; version: 1 | 2 }>();
  const isNewIn2 = (id: string) =>
    has('session_message') && (!has('message') || !hasMessages(database, 'message', id));
  for (const session of rowsOf('session')) {
    const id = String(session['id']);
    found.set(id, { session, version: isNewIn2(id) ? 2 : 1 });
  }
  for (const session of rowsOf('session_v2')) {
    const id = String(session['id']);
    const older = found.get(id);
    const isOlder = older?.version === 1 && updatedAt(older.session) > updatedAt(session);
    if (!isOlder) found.set(id, { session, version: 2 });
  }
  return [...found.values()];
}

const updatedAt = (session: Row): number => numberIn(session['time_updated']) ?? 0;

const hasMessages = (database: SqliteFile, table: string, id: string): boolean =>
  [...database.rows(`SELECT 1 FROM ${table} WHERE session_id = ? LIMIT 1`, [id])].length > 0;

function* messagesOf(database: SqliteFile, { id }: Row): Generator<StoredMessage> {
  const sql = 'SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id';
  for (const row of database.rows(sql, [String(id)])) {
    const messageId = String(row['id']);
    const parts = (end: unknown) => partsOf(database, messageId, end);
    yield { id: messageId, message: jsonIn(row['data']), parts };
  }
}

/** The records of the program itself are left out, such as a change of the model. */
const OF_PROGRAM = /^(agent-switched|model-switched|location-switched|idle)$/;

/** The messages of version 2 in the form of version 1. */
function* messages2Of(database: SqliteFile, { id }: Row): Generator<StoredMessage> {
  const hasOrder = database.columns('session_message').has('seq');
  const order = hasOrder ? 'seq' : 'time_created, id';
  const sql = `SELECT id, type, data FROM session_message WHERE session_id = ? ORDER BY ${order}`;
  for (const row of database.rows(sql, [String(id)])) {
    const type = String(row['type']);
    if (OF_PROGRAM.test(type)) continue;
    const data = jsonIn(row['data']);
    const isDamaged = Object.keys(data).length === 0;
    const message = isDamaged ? data : { ...data, role: ROLES[type] ?? type };
    yield {
      id: String(row['id']),
      message: type === 'compaction' ? { ...message, summary: true } : message,
      parts: () => parts2Of(type, data),
    };
  }
}

const ROLES: Readonly<Record<string, string>> = {
  compaction: 'assistant',
  shell: 'assistant',
  skill: 'user',
  synthetic: 'user',
  system: 'user',
};

function parts2Of(type: string, data: JsonObject): readonly JsonObject[] {
  const text = { type: 'text', text: data['text'] };
  if (type === 'user') {
    const files = objectsIn(data['files']).map((file) => ({ ...file, type: 'file' }));
    return [text, ...files];
  }
  if (type === 'shell') {
    const output = textIn(data['output']) ?? objectIn(data['output'])['output'];
    const { command } = data;
    return [{ type: 'tool', tool: 'shell', state: { input: { command }, output } }];
  }
  if (type !== 'assistant') return [{ ...text, synthetic: true }];
  return objectsIn(data['content']).map((part) => {
    if (part['type'] !== 'tool') return part;
    const { error, content, ...state } = objectIn(part['state']);
    const output = paragraphs(objectsIn(content).map((each) => textIn(each['text'])));
    const message = textIn(error) ?? textIn(objectIn(error)['message']);
    const result = output === '' ? {} : { output };
    return { type: 'tool', tool: part['name'], state: { ...state, ...result, error: message } };
  });
}

function* sessionOf(
  session: Row,
  stored: Iterable<StoredMessage>,
  file: InputFile,
  activity: Activity,
): Generator<ImportItem> {
  const id = String(session['id']);
  const record = `session ${id}`;
  const turns = new TurnBuilder(activity);
  const { messageID: revertedFrom, partID } = jsonIn(session['revert']);
  let isReverted = false;
  for (const { id: messageId, message, parts } of stored) {
    const isFirst = messageId === revertedFrom;
    if (isReverted || (isFirst && partID === undefined))
      turns.countLeftOut('messages that the user took back');
    else if (Object.keys(message).length === 0) {
      yield unreadable(file.name, `${record}, message ${messageId}`);
    } else {
      const end = isFirst ? partID : undefined; // the user took back only the parts from this one on
      addMessage(turns, messageId, message, parts(end));
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
  const model = textIn(message['modelID']) ?? textIn(objectIn(message['model'])['id']);
  return definedOrNothing({ model, usage });
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

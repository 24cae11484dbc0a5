/**
 * Conversations of `llm` since its version 0.32: threads of turns. Messages are a tree that threads share:
 * each message names its parent by a digest. A turn names the message that was sent last and the last message
 * of the answer. Turns have ids of the same kind as the older rows in `responses`.
 */

import { definedOrNothing, objectIn, objectsIn, textIn } from '../../base/json-fields.js';
import type { InputFile } from '../../files/input/input-types.js';
import type { Row, SqliteFile } from '../../files/input/sqlite.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { jsonIn, wholeBytes, wholeText } from '../reading/documents/databases.js';
import { TurnBuilder } from '../reading/messages/turns.js';
import { attachmentLine } from '../reading/text/attachment-lines.js';
import { paragraphs } from '../reading/text/paragraphs.js';
import { timeIn } from '../reading/text/times.js';
import type { Activity, ImportedMessage, ImportItem } from '../source-interface.js';

export const THREAD_COLUMNS = [
  ...['threads.id', 'turns.thread_id', 'turns.tip_message_hash', 'turns.parent_message_hash'],
  ...['messages.hash', 'messages.parent_hash', 'parts.message_hash', 'parts.payload'],
];

/** What older versions stored of a thread. */
export interface OlderPart {
  readonly messages: readonly ImportedMessage[];
  /** Ids of its responses. For some time llm stored each turn in both ways. */
  readonly ids: ReadonlySet<string>;
}

/** `older` is called once for each thread. */
export function* threads(
  database: SqliteFile,
  file: InputFile,
  activity: Activity,
  older: (id: string) => OlderPart,
): Generator<ImportItem> {
  const ids = new Set([...database.rows('SELECT id FROM threads')].map(({ id }) => String(id)));
  for (const row of database.rows('SELECT * FROM threads ORDER BY id')) {
    const id = String(row['id']);
    const forkedFrom = textIn(row['forked_from']);
    const before = older(id);
    // The messages before the first turn are in the older part or in the other thread.
    const hasStart = before.ids.size > 0 || (forkedFrom !== undefined && ids.has(forkedFrom));
    const turns = new TurnBuilder(activity);
    const seen = new Set<string>();
    const sql = 'SELECT * FROM turns WHERE thread_id = ? ORDER BY datetime_utc, id';
    for (const turn of database.rows(sql, [id])) {
      const chain = chainOf(database, turn, seen, hasStart && seen.size === 0);
      if (before.ids.has(String(turn['id']))) continue;
      for (const message of chain) addMessage(turns, database, turn, message);
    }
    yield {
      type: 'conversation',
      path: file.name,
      record: `thread ${id}`,
      fileTimeMs: file.modifiedAtMs,
      id,
      title: textIn(row['name']),
      metadata: definedOrNothing({ parent: forkedFrom }),
      messages: [...before.messages, ...turns.messages()],
      leftOut: turns.leftOut,
    };
  }
}

/** The messages up to the last one of the turn that no turn before it has, and adds them to `seen`. */
function chainOf(database: SqliteFile, turn: Row, seen: Set<string>, isFromParent: boolean): Row[] {
  const chain: Row[] = [];
  const parent = textIn(turn['parent_message_hash']);
  for (let hash = textIn(turn['tip_message_hash']); hash !== undefined && !seen.has(hash); ) {
    seen.add(hash);
    const [message] = database.rows('SELECT * FROM messages WHERE hash = ?', [hash]);
    if (message === undefined) break;
    chain.unshift(message);
    if (isFromParent && hash === parent) break;
    hash = textIn(message['parent_hash']);
  }
  return chain;
}

function addMessage(turns: TurnBuilder, database: SqliteFile, turn: Row, message: Row): void {
  const hash = String(message['hash']);
  const sql = `SELECT *, ${wholeBytes('text')} FROM parts WHERE message_hash = ? ORDER BY position`;
  const found = [...database.rows(sql, [hash])];
  const parts = found.map((part) => ({ ...part, text: wholeText(part, 'text') }));
  const createdAt = timeIn(turn['datetime_utc']);
  for (const part of parts) addActivity(turns, part, { id: `${turn['id']}:${hash}`, createdAt });
  const texts = parts.map((part) => textOfPart(database, part));
  const content = paragraphs(texts);
  const { role } = message;
  const own = (name: string) => ({ id: idOf(turn, hash, name), createdAt });
  if (role === 'user') turns.addMessage({ ...own('prompt'), role, content });
  else if (role === 'system') turns.addMessage({ ...own('system'), role, content });
  else if (role === 'assistant') {
    const metadata = definedOrNothing({ model: textIn(turn['model']) });
    turns.addMessage({ ...own('response'), role, content, metadata });
  } else if (content !== '') turns.countLeftOut('of an unknown role');
}

/** The messages that were sent and received last have the ids that older rows would have. */
function idOf(turn: Row, hash: string, name: string): string {
  const isEnd = hash === turn['parent_message_hash'] || hash === turn['tip_message_hash'];
  return isEnd ? `${turn['id']}:${name}` : `${turn['id']}:${hash}`;
}

function addActivity(
  turns: TurnBuilder,
  part: Row,
  origin: { id: string; createdAt: string | undefined },
): void {
  const payload = jsonIn(part['payload']);
  const callId = textIn(payload['tool_call_id']);
  const name = textIn(part['tool_name']) ?? textIn(payload['name']) ?? 'tool';
  if (part['type'] === 'reasoning') turns.addThinking(textIn(part['text']), origin);
  else if (part['type'] === 'tool_call') {
    turns.addToolCall({ name, input: payload['arguments'] }, origin, callId);
  } else if (part['type'] === 'tool_result') {
    const isError = textIn(payload['exception']) !== undefined;
    turns.addToolResult({ name, text: textIn(payload['output']) ?? '', isError }, callId);
  }
}

function textOfPart(database: SqliteFile, { type, text, payload }: Row): string {
  const fields = jsonIn(payload);
  if (type === 'attachment') return attachmentOf(database, objectIn(fields['attachment']));
  if (type !== 'text') return '';
  const pieces = objectsIn(fields['text_ref']).map(({ literal, fragment }) =>
    fragment === undefined ? textIn(literal) : fragmentOf(database, fragment),
  );
  return textIn(text) ?? pieces.join('');
}

function fragmentOf(database: SqliteFile, id: unknown): string | undefined {
  if (!database.columns('fragments').has('content')) return undefined;
  const sql = `SELECT content, ${wholeBytes('content')} FROM fragments WHERE id = ?`;
  const [row] = database.rows(sql, [Number(id)]);
  return textIn(row && wholeText(row, 'content'));
}

function attachmentOf(database: SqliteFile, { id }: JsonObject): string {
  const key = textIn(id) ?? '';
  const isKnown = database.columns('attachments').has('path');
  const sql = 'SELECT type, path, url FROM attachments WHERE id = ?';
  const [row] = isKnown ? database.rows(sql, [key]) : [];
  return attachedLine({ ...row, id: key });
}

/** The line for a row of `attachments`. */
export function attachedLine({ id, type, path, url }: Row): string {
  const kind = /^(image|audio|video)\//.exec(textIn(type) ?? '')?.[1] ?? 'file';
  return attachmentLine(kind, textIn(path) ?? textIn(url) ?? String(id));
}

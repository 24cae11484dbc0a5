/**
 * Reads a chat session of VS Code as one object. Since 2026 its file is a log of changes (`.jsonl`): first the
 * whole session, then what changed in it. Older sessions and exports are one JSON document. The form of the log
 * is from `objectMutationLog.ts` of microsoft/vscode.
 */
import { isRecord, listIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import { MAX_DOCUMENT_BYTES } from '../../../files/read/whole-file.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import {
  firstLine,
  objectLines,
  unreadable,
  wholeDocument,
} from '../../reading/documents/documents.js';
import type { ImportProblem } from '../../source-interface.js';

/** The values of `kind` in a log. `k` is a path of names and indexes. */
const WHOLE = 0;
const SET = 1;
/** Cuts the list at the index `i`, if there is one, and adds the values of `v`. */
const ADD = 2;
const DELETE = 3;

/** Whether the file is a session. Of a log it reads only the first line. */
export async function isSession(file: InputFile): Promise<boolean> {
  const first = await firstLine(file);
  const session = isLog(first) ? first['v'] : await wholeDocument(file);
  if (!isRecord(session) || !Array.isArray(session['requests'])) return false;
  return 'sessionId' in session || 'responderUsername' in session;
}

/** The session; `undefined` if the file has none. Changes that cannot be read or made are problems. */
export async function sessionIn(
  file: InputFile,
  onProblem: (problem: ImportProblem) => void,
): Promise<JsonObject | undefined> {
  if (!isLog(await firstLine(file))) {
    const document = await wholeDocument(file);
    return isRecord(document) ? document : undefined;
  }
  let session: JsonObject | undefined;
  const lines = objectLines(file, onProblem, { maxBytes: MAX_DOCUMENT_BYTES });
  for await (const { value: change, record } of lines) {
    if (change['kind'] === WHOLE && isRecord(change['v'])) session = change['v'];
    else if (session === undefined || !isMade(change, session)) {
      onProblem(unreadable(file.name, record));
    }
  }
  return session;
}

const isLog = (line: JsonObject | undefined): line is JsonObject =>
  line?.['kind'] === WHOLE && isRecord(line['v']);

/** Makes the change in `session`. False if it does not fit. */
function isMade({ kind, k, v, i }: JsonObject, session: JsonObject): boolean {
  const path = listIn(k);
  const parent = path.slice(0, -1).reduce(fieldOf, session);
  const name = path.at(-1);
  if (kind === SET) return isSet(parent, name, v);
  if (kind === DELETE) return isSet(parent, name, undefined);
  if (kind !== ADD) return false;
  const before = listIn(fieldOf(parent, name));
  const end = typeof i === 'number' && i >= 0 ? i : before.length;
  return isSet(parent, name, [...before.slice(0, end), ...listIn(v)]);
}

/** A field of an object or an element of a list; never what an object inherits. */
function fieldOf(parent: unknown, name: unknown): unknown {
  if (Array.isArray(parent)) return typeof name === 'number' ? parent[name] : undefined;
  const isOwn = isRecord(parent) && typeof name === 'string' && Object.hasOwn(parent, name);
  return isOwn ? parent[name] : undefined;
}

function isSet(parent: unknown, name: unknown, value: unknown): boolean {
  if (Array.isArray(parent)) {
    if (typeof name !== 'number' || !(name in parent)) return false;
    parent[name] = value;
    return true;
  }
  if (!isRecord(parent) || typeof name !== 'string' || name === '__proto__') return false;
  parent[name] = value;
  return true;
}

/**
 * Reads a chat session of VS Code as one object. Since 2026 its file is a log of changes (`.jsonl`): first the
 * whole session, then what changed in it. Older sessions and exports are one JSON document. The form of the log
 * is from `objectMutationLog.ts` of microsoft/vscode.
 */
import { firstOf } from '../../../base/async/first-of.js';
import { isRecord, listIn, objectsIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import { MAX_DOCUMENT_BYTES } from '../../../files/read/whole-file.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { objectLines, unreadable, wholeDocument } from '../../reading/documents/documents.js';
import { shortened } from '../../reading/messages/activity.js';
import type { Activity, ImportProblem } from '../../source-interface.js';
import { outputOf } from './vscode-response.js';

/** The values of `kind` in a log. `k` is a path of names and indexes. */
const WHOLE = 0;
const SET = 1;
/** Cuts the list at the index `i`, if there is one, and adds the values of `v`. */
const ADD = 2;
const DELETE = 3;

/** Whether the file begins as a session. Reads little of a log. */
export async function isSession(file: InputFile): Promise<boolean> {
  if (await isLog(file)) return true;
  const session = await wholeDocument(file);
  if (!isRecord(session) || !Array.isArray(session['requests'])) return false;
  return 'sessionId' in session || 'responderUsername' in session;
}

/** The session; `undefined` if the file has none. Changes that cannot be read or made are problems. */
export async function sessionIn(
  file: InputFile,
  activity: Activity,
  onProblem: (problem: ImportProblem) => void,
): Promise<JsonObject | undefined> {
  const session = (await isLog(file))
    ? await sessionOfLog(file, activity, onProblem)
    : await wholeDocument(file);
  return isRecord(session) && Array.isArray(session['requests']) ? session : undefined;
}

async function sessionOfLog(
  file: InputFile,
  activity: Activity,
  onProblem: (problem: ImportProblem) => void,
): Promise<JsonObject | undefined> {
  let session: JsonObject | undefined;
  const lines = objectLines(file, onProblem, { maxBytes: MAX_DOCUMENT_BYTES });
  for await (const { value: change, record } of lines) {
    removeUnused(change, activity);
    if (change['kind'] === WHOLE && isRecord(change['v'])) session = change['v'];
    // Without the whole session, its problem says enough.
    else if (session !== undefined && !isMade(change, session)) {
      onProblem(unreadable(file.name, record));
    }
  }
  return session;
}

/**
 * A session is in memory as a whole. Most of a log are texts that Copilot sent to the model, which are not
 * imported, and results of tools, which are shortened.
 */
function removeUnused({ k, v }: JsonObject, activity: Activity): void {
  if (listIn(k).at(-1) === 'result' && isRecord(v)) delete v['metadata'];
  const requestsOrParts = isRecord(v) ? objectsIn(v['requests']) : objectsIn(v);
  for (const each of requestsOrParts) {
    if (isRecord(each['result'])) delete each['result']['metadata'];
    for (const { resultDetails } of [each, ...objectsIn(each['response'])]) {
      if (!isRecord(resultDetails)) continue;
      resultDetails['output'] = shortened(outputOf(resultDetails), activity);
    }
  }
}

/** Whether the file begins as a log. Its first line has nearly everything after VS Code wrote it anew. */
async function isLog(file: InputFile): Promise<boolean> {
  const start = Buffer.from((await firstOf(file.bytes()))?.subarray(0, 512) ?? []).toString();
  return /^\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:\s*\{/.test(start);
}

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

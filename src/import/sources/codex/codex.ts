/**
 * Sessions of Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl` and `archived_sessions/`, also compressed with
 * zstd. Every compaction writes the whole history into one line, so lines are streamed and compaction lines
 * are skipped without being parsed.
 */
import { posix } from 'node:path';
import { definedOrNothing, objectIn, textIn } from '../../../base/json-fields.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { filesToDetect, firstLine, objectLines } from '../../reading/documents/documents.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { moduleOfFolder } from '../../reading/text/module-of-folder.js';
import { timeIn } from '../../reading/text/times.js';
import {
  type ImportItem,
  type ImportProblem,
  type ReadOptions,
  type Source,
  SUBAGENT_TAG,
} from '../../source-interface.js';
import { type OwnTurn, ownTurnOf, parentOf } from './codex-fork-point.js';
import { addLegacyRecord, addPaginatedRecord } from './codex-records.js';

const ROLLOUT = /(^|\/)rollout-[^/]+\.jsonl(\.zst)?$/;
/** Matched against the first bytes of a line, which have its type. */
const COMPACTED = /"type"\s*:\s*"compacted"/;
const MODES = ['legacy', 'paginated'];

export const codex: Source = {
  kind: 'codex',
  title: 'Codex sessions',
  async detect(input) {
    for (const file of filesToDetect(filesOf(input))) {
      const first = (await firstLine(file)) ?? {};
      if (first['type'] === 'session_meta' || isFirstOfOldForm(first)) return true;
    }
    return false;
  },
  async *read(input, options) {
    const files = filesOf(input);
    const ids = new Set(files.map(idOf));
    for (const file of files) {
      options.signal?.throwIfAborted();
      if (!options.isKnown?.(file)) yield* sessionOf(file, ids, options);
    }
  },
};

/** The first logs (until 2025) have the records without a wrapper, and first a line without a type. */
const isFirstOfOldForm = (line: JsonObject) =>
  textIn(line['id']) !== undefined && 'instructions' in line && !('type' in line);

const ofOldForm = (line: JsonObject): JsonObject =>
  isFirstOfOldForm(line)
    ? { type: 'session_meta', timestamp: line['timestamp'], payload: line }
    : { type: 'response_item', timestamp: line['timestamp'], payload: line };

/** If a session exists both plain and compressed, the plain file is newer and is used. */
function filesOf({ form, files }: Input): readonly InputFile[] {
  if (form === 'file') return files;
  const rollouts = files.filter(({ name }) => ROLLOUT.test(name));
  const plain = new Set(rollouts.map(({ name }) => name));
  return rollouts.filter(({ name }) => !name.endsWith('.zst') || !plain.has(name.slice(0, -4)));
}

interface Session {
  id: string;
  head: JsonObject;
  add: typeof addLegacyRecord;
  model: string | undefined;
}

/** `others`: the sessions of the input, by the ids in their names. */
async function* sessionOf(
  file: InputFile,
  others: ReadonlySet<string>,
  { activity }: ReadOptions,
): AsyncGenerator<ImportItem> {
  const problems: ImportProblem[] = [];
  const turns = new TurnBuilder(activity);
  let session: Session | undefined;
  let ownTurn: OwnTurn | undefined;
  let copied = 0;
  const isWanted = (start: Buffer) => {
    const isLeftOut = COMPACTED.test(start.toString('latin1'));
    if (isLeftOut) turns.countLeftOut('compactions');
    return !isLeftOut;
  };
  const lines = objectLines(file, (problem) => problems.push(problem), { isWanted });
  for await (const { value: given, record } of lines) {
    yield* problems.splice(0);
    const value = 'payload' in given ? given : ofOldForm(given);
    const payload = objectIn(value['payload']);
    if (value['type'] === 'session_meta') {
      if (session !== undefined) continue;
      session = beginning(payload, file);
      if (session !== undefined) {
        ownTurn = await ownTurnOf(file, session.id, payload);
        continue;
      }
      yield unknownMode(file, record, payload);
      return;
    }
    if (value['type'] === 'turn_context' && session) session.model = textIn(payload['model']);
    if (ownTurn?.(payload)) {
      ownTurn = undefined;
      copied = turns.endTurn();
    }
    const createdAt = timeIn(value['timestamp']);
    const at = { sessionId: session?.id, createdAt, model: session?.model };
    (session?.add ?? addLegacyRecord)(turns, textIn(value['type']) ?? '', payload, at);
  }
  yield* problems;
  if (ownTurn !== undefined) copied = turns.endTurn(); // nothing was said in the fork itself
  const parent = parentOf(session?.head ?? {}) ?? '';
  const copyOf = { id: parent, count: copied, isInInput: others.has(parent) };
  yield { ...conversationOf(file, session, turns), ...(copied > 0 && { copyOf }) };
}

/** `undefined` for an unknown format: a wrong guess would import wrong messages. */
function beginning(meta: JsonObject, file: InputFile): Session | undefined {
  const mode = textIn(meta['history_mode']) ?? 'legacy';
  if (!MODES.includes(mode)) return undefined;
  const add = mode === 'paginated' ? addPaginatedRecord : addLegacyRecord;
  return { id: textIn(meta['id']) ?? idOf(file), head: meta, add, model: undefined };
}

/** The UUID at the end of `rollout-2026-01-02T10-00-00-<uuid>.jsonl`. */
function idOf({ name }: InputFile): string {
  const base = posix.basename(name).replace(/\.jsonl(\.zst)?$/, '');
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(base)?.[0] ?? base;
}

function conversationOf(
  file: InputFile,
  session: Session | undefined,
  turns: TurnBuilder,
): ImportItem {
  const { head = {}, id = idOf(file) } = session ?? {};
  const cwd = textIn(head['cwd']);
  const git = objectIn(head['git']);
  return {
    type: 'conversation',
    path: file.name,
    id,
    fileTimeMs: file.modifiedAtMs,
    ...moduleOfFolder(cwd),
    tags: [
      ...(file.name.includes('archived_sessions/') ? ['archived'] : []),
      ...('subagent' in objectIn(head['source']) ? [SUBAGENT_TAG] : []),
    ],
    createdAt: timeIn(head['timestamp']),
    metadata: definedOrNothing({
      cwd,
      gitBranch: textIn(git['branch']),
      gitRemote: textIn(git['repository_url']),
      parent: parentOf(head),
    }),
    messages: turns.messages(),
    leftOut: turns.leftOut,
  };
}

function unknownMode(file: InputFile, record: string, meta: JsonObject): ImportProblem {
  const mode = JSON.stringify(meta['history_mode']);
  const message = `${file.name} has a history in a format that Daybook does not support (${mode}).`;
  return {
    type: 'problem',
    path: file.name,
    record,
    code: 'FORMAT_TOO_NEW',
    message,
    isConversation: true,
  };
}

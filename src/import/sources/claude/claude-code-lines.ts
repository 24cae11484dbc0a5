/**
 * Reads the lines of Claude Code's session files as nodes of a tree: each line names its parent. Long tool
 * outputs are shortened at once, so that memory has only the part that is stored.
 */
import { posix } from 'node:path';
import { definedOrNothing, objectIn, objectsIn, textIn } from '../../../base/json-fields.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { objectLines, textOf } from '../../reading/documents/documents.js';
import { shortened } from '../../reading/messages/activity.js';
import type { TreeNode } from '../../reading/messages/tree.js';
import { moduleOfFolder } from '../../reading/text/module-of-folder.js';
import { timeIn } from '../../reading/text/times.js';
import type { Activity, ImportProblem } from '../../source-interface.js';
import { type SessionImages, withNamedImages } from './claude-code-images.js';
import { queuedPrompt } from './claude-code-queued.js';
import { resultText } from './claude-message.js';

export interface CodeNode extends TreeNode {
  readonly type: string;
  readonly createdAt: string | undefined;
  readonly isSidechain: boolean;
  /** True if the program injected the text, so that no person typed it. */
  readonly isInjected: boolean;
  /** True if a user or an assistant said or did something. */
  readonly isSpoken: boolean;
  readonly message: JsonObject;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface Session {
  /** Id of the first session; a resumed session continues it. */
  readonly id: string;
  /** Ids of all these sessions. */
  readonly ids: Set<string>;
  readonly path: string;
  fileTimeMs: number;
  title: string | undefined;
  /** True if the user chose the title; a generated title never replaces it. */
  isOwnTitle: boolean;
  cwd: string | undefined;
  metadata: JsonObject | undefined;
  readonly nodes: CodeNode[];
  readonly results: Map<string, ToolResult>;
  readonly seen: Set<string>;
  /** By line: the prompt of the queue that follows it. Lines after that prompt name the line before it. */
  readonly queuedAfter: Map<string, string>;
  readonly images: SessionImages;
}

interface Reading {
  readonly input: Input;
  readonly activity: Activity;
}

/**
 * Adds the lines of `file` to `session` or to a new session; returns `undefined` if the file has no
 * session.
 */
export async function* readSession(
  file: InputFile,
  reading: Reading,
  session: Session | undefined,
): AsyncGenerator<ImportProblem, Session | undefined> {
  const problems: ImportProblem[] = [];
  let current = session;
  /** The line before. It is the parent of a line that names none, for example after a compaction. */
  let before: string | undefined;
  for await (const { value: given } of objectLines(file, (problem) => problems.push(problem))) {
    yield* problems.splice(0);
    const queued = queuedPrompt(given);
    const value = queued ?? given;
    current ??= newSession(value, file);
    describe(current, value);
    const uuid = textIn(value['uuid']);
    if (uuid === undefined) continue;
    const isNew = !current.seen.has(uuid);
    current.seen.add(uuid);
    if (isNew) {
      const place = { file, files: reading.input.files };
      const line = withNamedImages(value, place, current.images);
      const node = nodeOf(uuid, line, current, before);
      current.nodes.push(node);
      if (queued !== undefined && node.parent !== undefined) {
        current.queuedAfter.set(node.parent, uuid);
      }
      await addResults(current, line, reading);
    }
    if (value['isSidechain'] !== true) before = uuid;
  }
  yield* problems;
  if (current !== undefined) current.fileTimeMs = Math.max(current.fileTimeMs, file.modifiedAtMs);
  return current;
}

function newSession(line: JsonObject, file: InputFile): Session {
  const id = textIn(line['sessionId']) ?? posix.basename(file.name, '.jsonl');
  return {
    id,
    ids: new Set([id]),
    path: file.name,
    fileTimeMs: 0,
    title: undefined,
    isOwnTitle: false,
    cwd: undefined,
    metadata: undefined,
    nodes: [],
    results: new Map(),
    seen: new Set(),
    queuedAfter: new Map(),
    images: { inline: [], named: new Set() },
  };
}

function describe(session: Session, line: JsonObject): void {
  const id = textIn(line['sessionId']);
  if (id !== undefined) session.ids.add(id);
  const isOwn = line['type'] === 'custom-title';
  if (isOwn || (line['type'] === 'ai-title' && !session.isOwnTitle)) {
    const given = textIn(line['customTitle']) ?? textIn(line['aiTitle']) ?? textIn(line['title']);
    session.title = given ?? session.title;
    session.isOwnTitle ||= isOwn;
  }
  session.cwd ??= textIn(line['cwd']);
  const branch = textIn(line['gitBranch']);
  session.metadata = definedOrNothing({
    ...session.metadata,
    gitBranch:
      branch === 'HEAD'
        ? session.metadata?.['gitBranch']
        : (branch ?? session.metadata?.['gitBranch']),
    cwd: session.cwd,
  });
}

function nodeOf(
  id: string,
  line: JsonObject,
  { seen, queuedAfter }: Session,
  before: string | undefined,
): CodeNode {
  let named = textIn(line['parentUuid']) ?? textIn(line['logicalParentUuid']);
  for (let next = named; next !== undefined; next = queuedAfter.get(next)) named = next;
  const isSidechain = line['isSidechain'] === true;
  const isThere = named !== undefined && named !== id && seen.has(named);
  const type = textIn(line['type']) ?? '';
  const message = objectIn(line['message']);
  return {
    id,
    type,
    isSidechain,
    parent: isThere ? named : isSidechain ? undefined : before,
    createdAt: timeIn(line['timestamp']),
    isInjected:
      line['isMeta'] === true ||
      line['isCompactSummary'] === true ||
      line['isVisibleInTranscriptOnly'] === true ||
      (!isSidechain && isOfProgram(line)),
    isSpoken: (type === 'user' || type === 'assistant') && message['content'] !== undefined,
    message: type === 'user' ? withoutResults(message) : message,
  };
}

/** Newer logs say who wrote a prompt. An unknown kind may be a person, whose words must not be left out. */
const KINDS_OF_PROGRAMS: readonly unknown[] = ['task-notification', 'coordinator', 'peer'];

const isOfProgram = (line: JsonObject): boolean =>
  KINDS_OF_PROGRAMS.includes(objectIn(line['origin'])['kind']);

/**
 * Tool results are kept separately, by the id of their call and in the length that is stored. What a person
 * said in such a result is text of the person.
 */
function withoutResults(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const blocks = objectsIn(content).flatMap((block) => {
    if (block['type'] !== 'tool_result') return [block];
    const said = REFUSED.exec(resultText(block['content']))?.[1]?.trim() ?? '';
    return said === '' ? [] : [{ type: 'text', text: said }];
  });
  return { ...message, content: blocks };
}

/** The result of a call that the user refused, and what the user wrote about it. */
const REFUSED =
  /^The user doesn't want to (?:proceed|take this action)[\s\S]{0,400}?\bthe user said:\s*([\s\S]+)$/;

async function addResults(session: Session, line: JsonObject, reading: Reading): Promise<void> {
  if (line['type'] !== 'user' || reading.activity === 'none') return;
  for (const block of objectsIn(objectIn(line['message'])['content'])) {
    const id = textIn(block['tool_use_id']);
    if (block['type'] !== 'tool_result' || id === undefined) continue;
    const stored = await persistedOutput(line, reading);
    const text = stored ?? resultText(block['content']);
    session.results.set(id, {
      text: shortened(text, reading.activity),
      isError: block['is_error'] === true,
    });
  }
}

/** A long output is in a file beside the session. Only the file name of the logged path is used. */
async function persistedOutput(line: JsonObject, { input, activity }: Reading) {
  const path = textIn(objectIn(line['toolUseResult'])['persistedOutputPath']);
  if (path === undefined || activity !== 'all') return undefined;
  const name = posix.basename(path.replaceAll('\\', '/'));
  const session = textIn(line['sessionId']) ?? '';
  const file = input.files.find(
    (each) => each.name.endsWith(`/tool-results/${name}`) && each.name.includes(session),
  );
  return file === undefined ? undefined : textOf(file);
}

/** What the conversations of a session and of its subagents have in common. */
export function headOf({ path, fileTimeMs, cwd, metadata }: Session) {
  return {
    type: 'conversation' as const,
    path,
    fileTimeMs,
    ...moduleOfFolder(cwd),
    metadata,
  };
}

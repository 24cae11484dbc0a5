/**
 * The lines of Claude Code's session files as nodes of a tree: each line names the one before it. Of
 * long outputs only the part that will be stored is in memory.
 */
import { posix } from 'node:path';
import type { Input, InputFile } from '../../files/input/input-types.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { kept } from '../reading/activity.js';
import { objectLines, textOf } from '../reading/documents.js';
import { definedOrNothing, objectIn, objectsIn, textIn } from '../reading/fields.js';
import { timeIn } from '../reading/times.js';
import type { TreeNode } from '../reading/tree.js';
import type { Activity, ImportProblem } from '../source.js';
import { type SessionImages, withNamedImages } from './claude-code-images.js';
import { resultText } from './claude-message.js';

export interface CodeNode extends TreeNode {
  readonly type: string;
  readonly createdAt: string | undefined;
  readonly isSidechain: boolean;
  /** Injected by the program, not typed by a person. */
  readonly isInjected: boolean;
  /** A user or an assistant said or did something. */
  readonly isSpoken: boolean;
  readonly message: JsonObject;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface Session {
  /** Of the first session of those that continue each other. */
  readonly id: string;
  /** Of all of them. */
  readonly ids: Set<string>;
  readonly path: string;
  fileTimeMs: number;
  title: string | undefined;
  /** Chosen by the user, whatever a machine finds later. */
  isOwnTitle: boolean;
  cwd: string | undefined;
  metadata: JsonObject | undefined;
  readonly nodes: CodeNode[];
  readonly results: Map<string, ToolResult>;
  readonly seen: Set<string>;
  readonly images: SessionImages;
}

interface Reading {
  readonly input: Input;
  readonly activity: Activity;
}

/** Adds to `session`, or begins one; `undefined` where the file holds nothing of one. */
export async function* readSession(
  file: InputFile,
  reading: Reading,
  session: Session | undefined,
): AsyncGenerator<ImportProblem, Session | undefined> {
  const problems: ImportProblem[] = [];
  let current = session;
  /** Where a line names no line before it, such as after a compaction, it follows the one before. */
  let before: string | undefined;
  for await (const { value } of objectLines(file, (problem) => problems.push(problem))) {
    yield* problems.splice(0);
    current ??= newSession(value, file);
    describe(current, value);
    const uuid = textIn(value['uuid']);
    if (uuid === undefined) continue;
    const isNew = !current.seen.has(uuid);
    current.seen.add(uuid);
    if (isNew) {
      const place = { file, files: reading.input.files };
      const line = withNamedImages(value, place, current.images);
      current.nodes.push(nodeOf(uuid, line, current, before));
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
    ...{
      id,
      ids: new Set([id]),
      path: file.name,
      fileTimeMs: 0,
      title: undefined,
      isOwnTitle: false,
    },
    ...{ cwd: undefined, metadata: undefined, nodes: [], results: new Map(), seen: new Set() },
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
  { seen }: Session,
  before: string | undefined,
): CodeNode {
  const named = textIn(line['parentUuid']) ?? textIn(line['logicalParentUuid']);
  const isSidechain = line['isSidechain'] === true;
  const isThere = named !== undefined && named !== id && seen.has(named);
  const type = textIn(line['type']) ?? '';
  const message = objectIn(line['message']);
  return {
    ...{ id, type, isSidechain },
    parent: isThere ? named : isSidechain ? undefined : before,
    createdAt: timeIn(line['timestamp']),
    isInjected:
      line['isMeta'] === true ||
      line['isCompactSummary'] === true ||
      line['isVisibleInTranscriptOnly'] === true,
    isSpoken: (type === 'user' || type === 'assistant') && message['content'] !== undefined,
    message: type === 'user' ? withoutResults(message) : message,
  };
}

/** By the ids of their calls; each is cut to the length that will be stored. */
function withoutResults(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  return { ...message, content: objectsIn(content).filter(({ type }) => type !== 'tool_result') };
}

async function addResults(session: Session, line: JsonObject, reading: Reading): Promise<void> {
  if (line['type'] !== 'user' || reading.activity === 'none') return;
  for (const block of objectsIn(objectIn(line['message'])['content'])) {
    const id = textIn(block['tool_use_id']);
    if (block['type'] !== 'tool_result' || id === undefined) continue;
    const stored = await persistedOutput(line, reading);
    const text = stored ?? resultText(block['content']);
    session.results.set(id, {
      text: kept(text, reading.activity),
      isError: block['is_error'] === true,
    });
  }
}

/** A long output lies beside the session; of the log's path only the name counts. */
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

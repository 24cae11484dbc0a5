/**
 * The logs of Claude Code: `projects/<folder>/<session>.jsonl` with the files beside them.
 * claude-code-resumed.ts groups the files of resumed sessions; each group is read as one tree. Prompts of
 * deleted sessions are read from `history.jsonl`.
 */

import { posix } from 'node:path';
import { textIn } from '../../../base/json-fields.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import { filesToDetect, firstLine, textOf } from '../../reading/documents/documents.js';
import { notesOf } from '../../reading/documents/note-paths.js';
import { timesOf, treeConversations } from '../../reading/messages/tree-conversations.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import type {
  ImportedConversation,
  ImportItem,
  ReadOptions,
  Source,
} from '../../source-interface.js';
import { HISTORY, historyConversations, type KnownPrompts } from './claude-code-history.js';
import { imagesOf } from './claude-code-images.js';
import { type CodeNode, headOf, readSession, type Session } from './claude-code-lines.js';
import {
  groupsOf,
  hasNewFiles,
  nameOf,
  SESSION,
  type SessionGroup,
} from './claude-code-resumed.js';
import { agentConversations, sidechainConversations } from './claude-code-subagents.js';
import { addCodeNodes } from './claude-code-turns.js';

const MEMORY = /(^|\/)memory\/[^/]+\.md$/;

export const claudeCode: Source = {
  kind: 'claude-code',
  title: 'Claude Code sessions',
  async detect({ files }) {
    for (const file of filesToDetect(files.filter(({ name }) => SESSION.test(name)))) {
      const line = await firstLine(file);
      if (line === undefined) continue;
      if (textIn(line['sessionId']) !== undefined && 'type' in line) return true;
      if (textIn(line['leafUuid']) !== undefined && line['type'] === 'summary') return true;
      if (HISTORY.test(file.name) && 'display' in line && 'timestamp' in line) return true;
    }
    return false;
  },
  async *read(input, options) {
    const prompts: KnownPrompts = { sessions: new Set(), texts: new Set(), areAllRead: true };
    for (const group of await groupsOf(input)) {
      options.signal?.throwIfAborted();
      for (const file of group.files) prompts.sessions.add(nameOf(file));
      if (!hasNewFiles(group, options)) {
        prompts.areAllRead = false;
        continue;
      }
      yield* groupConversations(group, input, options, prompts);
    }
    for (const file of input.files) {
      if (HISTORY.test(file.name)) yield* historyConversations(file, prompts);
      if (MEMORY.test(file.name)) yield* memoryNotes(file);
    }
  },
};

async function* memoryNotes(file: InputFile): AsyncGenerator<ImportItem> {
  const text = await textOf(file);
  const project = posix.basename(posix.dirname(posix.dirname(file.name)));
  const name = posix.basename(file.name);
  const location = { path: file.name, fileTimeMs: file.modifiedAtMs };
  if (text !== undefined) yield* notesOf(location, ['claude-code', project], name, text);
}

async function* groupConversations(
  group: SessionGroup,
  input: Input,
  options: ReadOptions,
  prompts: KnownPrompts,
): AsyncGenerator<ImportItem> {
  const read = { input, activity: options.activity };
  let session: Session | undefined;
  for (const file of group.files) session = yield* readSession(file, read, session);
  const main = session === undefined ? [] : [...sessionConversations(session, group, options)];
  for (const conversation of main) {
    recordPrompts(prompts, conversation, session);
    yield conversation;
  }
  if (session !== undefined) yield* sidechainConversations(session, main, options);
  for (const file of group.agents) {
    const agent = yield* readSession(file, read, undefined);
    if (agent === undefined) continue;
    const id = `${agent.id}:${nameOf(file)}`;
    yield* agentConversations({ ...agent, id }, agent.nodes, main, options);
  }
}

function recordPrompts(
  prompts: KnownPrompts,
  { messages }: ImportedConversation,
  session?: Session,
): void {
  for (const id of session?.ids ?? []) prompts.sessions.add(id);
  for (const { role, content } of messages) {
    if (role === 'user') prompts.texts.add(content.slice(0, 200));
  }
}

function* sessionConversations(
  session: Session,
  { summaries }: SessionGroup,
  { activity }: ReadOptions,
): Generator<ImportedConversation> {
  const nodes = session.nodes.filter(({ isSidechain }) => !isSidechain);
  if (nodes.length === 0) return;
  const read = (some: readonly CodeNode[]) => {
    const turns = new TurnBuilder(activity);
    addCodeNodes(turns, some, session.results);
    return turns;
  };
  const titles = session.nodes.flatMap(({ id }) => summaries.get(id) ?? []);
  const title = session.title ?? titles.at(-1);
  for (const branch of treeConversations(session.id, nodes, newestLeaf(nodes), read)) {
    const images = imagesOf(session.images, branch.messages);
    yield { ...headOf(session), title, ...timesOf(branch), ...branch, ...images };
  }
}

/** The newest end of the tree: it is what the user sees when the session is resumed. */
function newestLeaf(nodes: readonly CodeNode[]): string | undefined {
  const spoken = nodes.filter(({ isSpoken }) => isSpoken);
  const [first, ...others] = spoken.length > 0 ? spoken : nodes;
  const later = (last: CodeNode | undefined, next: CodeNode) =>
    (next.createdAt ?? '') >= (last?.createdAt ?? '') ? next : last;
  return others.reduce<CodeNode | undefined>(later, first)?.id;
}

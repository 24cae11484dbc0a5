/**
 * The subagents of Claude Code become conversations of their own, as branches of the session that started them.
 * Newer versions log each subagent in a file of its own.
 */

import { textIn } from '../../../base/json-fields.js';
import type { InputFile } from '../../../files/input/input-types.js';
import { firstLine } from '../../reading/documents/documents.js';
import { timesOf } from '../../reading/messages/tree-conversations.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import {
  type ImportedConversation,
  type ReadOptions,
  SUBAGENT_TAG,
} from '../../source-interface.js';
import { imagesOf } from './claude-code-images.js';
import { type CodeNode, headOf, type Session } from './claude-code-lines.js';
import { addCodeNodes } from './claude-code-turns.js';

/** Matches the names of these files. */
export const AGENT_LOG = /(^|\/)agent-[^/]+\.jsonl$/;

/**
 * The session of a subagent: from the path `<session>/subagents/agent-x.jsonl`, otherwise from the first
 * line.
 */
export async function sessionOfAgent(file: InputFile): Promise<string | undefined> {
  const parts = file.name.split('/');
  const at = parts.indexOf('subagents');
  if (at > 0) return parts[at - 1];
  return textIn((await firstLine(file))?.['sessionId']);
}

/** In older logs the lines of subagents are among those of the session. */
export function* sidechainConversations(
  session: Session,
  main: readonly ImportedConversation[],
  options: ReadOptions,
): Generator<ImportedConversation> {
  const roots = new Map<string, CodeNode[]>();
  const rootOf = new Map<string, string>();
  for (const node of session.nodes.filter(({ isSidechain }) => isSidechain)) {
    const root = (node.parent === undefined ? undefined : rootOf.get(node.parent)) ?? node.id;
    rootOf.set(node.id, root);
    const nodes = roots.get(root) ?? [];
    roots.set(root, nodes);
    nodes.push(node);
  }
  for (const [root, nodes] of roots) {
    const id = `${session.id}:${root}`;
    yield* agentConversations({ ...session, id }, nodes, main, options);
  }
}

/** The conversation of one subagent, which consists of `nodes`; `main` are those of its session. */
export function* agentConversations(
  session: Session,
  nodes: readonly CodeNode[],
  main: readonly ImportedConversation[],
  { activity }: ReadOptions,
): Generator<ImportedConversation> {
  const turns = new TurnBuilder(activity);
  addCodeNodes(turns, nodes, session.results);
  const messages = turns.messages();
  const times = timesOf({ messages });
  const before = main[0]?.messages.findLast(
    ({ createdAt }) => createdAt !== undefined && createdAt <= (times.createdAt ?? ''),
  );
  yield {
    ...headOf(session),
    tags: [SUBAGENT_TAG],
    id: session.id,
    messages,
    leftOut: turns.leftOut,
    ...times,
    ...imagesOf(session.images, messages),
    ...(main[0] && { branchOf: { id: main[0].id, messageId: before?.id } }),
  };
}

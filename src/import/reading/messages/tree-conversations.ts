/**
 * Makes one conversation of each branch of a message tree, with a link to the conversation from which it
 * branches.
 */
import type { ImportedConversation } from '../../source-interface.js';
import { branchesOf, type TreeNode } from './tree.js';
import type { TurnBuilder } from './turns.js';

/** Only the first branch of a tree is without `branchOf`. */
export type TreeConversation = Pick<
  ImportedConversation,
  'id' | 'messages' | 'leftOut' | 'branchOf' | 'treeId' | 'allIds' | 'otherIds'
>;

/**
 * `read` converts the nodes of one branch to messages; the ids of the messages are ids of nodes. The first
 * branch gets `id`. Another branch without any text has no messages, only counts of what is left out.
 */
export function* treeConversations<N extends TreeNode>(
  id: string,
  nodes: readonly N[],
  shownLeaf: string | undefined,
  read: (nodes: readonly N[]) => TurnBuilder,
): Generator<TreeConversation> {
  const allIds = new Set(nodes.map((node) => node.id));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** By id of a message: the id of the conversation that has it. */
  const conversationOf = new Map<string, string>();
  // A conversation without messages is in the report too.
  const branches = nodes.length === 0 ? [{ nodes }] : branchesOf(nodes, shownLeaf);
  const otherIds = new Set(
    branches.slice(1).flatMap((branch) => branch.nodes.map((node) => node.id)),
  );
  for (const [index, branch] of branches.entries()) {
    const turns = read(branch.nodes);
    const isMain = index === 0;
    const all = turns.messages();
    const hasText = isMain || all.some(({ content }) => content !== '');
    if (!hasText && all.length > 0) turns.countLeftOut('branches without text');
    if (!hasText && turns.leftOut === undefined) continue;
    const messages = hasText ? all : [];
    const conversationId = isMain ? id : `${id}:${messages[0]?.id ?? branch.nodes[0]?.id}`;
    const forkPoint = isMain ? undefined : forkPointOf(branch.forkedFrom, byId, conversationOf);
    for (const message of messages)
      if (message.id !== undefined) conversationOf.set(message.id, conversationId);
    yield {
      id: conversationId,
      messages,
      leftOut: turns.leftOut,
      treeId: id,
      allIds,
      ...(isMain ? { otherIds } : { branchOf: forkPoint ?? { id } }),
    };
  }
}

/** The nearest message at or above `node` that is in one of the conversations, and this conversation. */
function forkPointOf<N extends TreeNode>(
  node: N | undefined,
  byId: ReadonlyMap<string, N>,
  conversationOf: ReadonlyMap<string, string>,
): { id: string; messageId: string } | undefined {
  const seen = new Set<string>();
  for (let at = node; at !== undefined && !seen.has(at.id); ) {
    const id = conversationOf.get(at.id);
    if (id !== undefined) return { id, messageId: at.id };
    seen.add(at.id);
    at = at.parent === undefined ? undefined : byId.get(at.parent);
  }
  return undefined;
}

/**
 * The times of the first and last message of a branch. The source has only the times of the whole tree, which
 * count if the messages have none.
 */
export function timesOf({ messages }: Pick<ImportedConversation, 'messages'>) {
  const times = messages.flatMap(({ createdAt }) => createdAt ?? []);
  const [createdAt, updatedAt] = [times[0], times.at(-1)];
  return createdAt === undefined ? {} : { createdAt, updatedAt };
}

/** The fields of the whole tree for one of its branches: all but the first have times of their own. */
export function headOfBranch<H extends Pick<ImportedConversation, 'updatedAt'>>(
  head: H,
  branch: TreeConversation,
) {
  if (branch.branchOf === undefined) return head;
  return { ...head, ...timesOf(branch), treeUpdatedAt: head.updatedAt };
}

/** Each branch of a tree of messages as a conversation of its own, linked to the one that it leaves. */
import type { ImportedConversation, ImportedMessage } from '../source.js';
import { branchesOf, type TreeNode } from './tree.js';
import type { Turns } from './turns.js';

export type TreeConversation = Pick<
  ImportedConversation,
  'id' | 'messages' | 'leftOut' | 'branchOf' | 'allIds'
> & { readonly isMain: boolean };

/**
 * `read` turns the nodes of one branch into messages, whose ids are the ids of nodes. The first branch
 * gets `id`; another one in which nothing was said is left out.
 */
export function* treeConversations<N extends TreeNode>(
  id: string,
  nodes: readonly N[],
  shownLeaf: string | undefined,
  read: (nodes: readonly N[]) => Turns,
): Generator<TreeConversation> {
  const allIds = new Set(nodes.map((node) => node.id));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** Conversations by the ids of the messages that they hold. */
  const holders = new Map<string, string>();
  for (const [index, branch] of branchesOf(nodes, shownLeaf).entries()) {
    const turns = read(branch.nodes);
    const messages = turns.messages();
    const isMain = index === 0;
    if (!isMain && !messages.some(({ content }) => content !== '')) continue;
    const own = isMain ? id : `${id}:${firstId(messages) ?? branch.nodes[0]?.id}`;
    const before = isMain ? undefined : lastMessage(branch.forkedFrom, byId, holders);
    for (const message of messages) if (message.id !== undefined) holders.set(message.id, own);
    yield {
      id: own,
      isMain,
      messages,
      leftOut: turns.leftOut,
      allIds,
      ...(!isMain && { branchOf: before ?? { id } }),
    };
  }
}

const firstId = (messages: readonly ImportedMessage[]) => messages[0]?.id;

/** The nearest message at or above a node that is visible to people, and its author. */
function lastMessage<N extends TreeNode>(
  node: N | undefined,
  byId: ReadonlyMap<string, N>,
  holders: ReadonlyMap<string, string>,
): { id: string; messageId: string } | undefined {
  const seen = new Set<string>();
  for (let at = node; at !== undefined && !seen.has(at.id); ) {
    const holder = holders.get(at.id);
    if (holder !== undefined) return { id: holder, messageId: at.id };
    seen.add(at.id);
    at = at.parent === undefined ? undefined : byId.get(at.parent);
  }
  return undefined;
}

/** When a branch began and ended: what its conversation says of itself is about the whole tree. */
export function timesOf({ messages }: Pick<ImportedConversation, 'messages'>) {
  const times = messages.flatMap(({ createdAt }) => createdAt ?? []);
  return { createdAt: times[0], updatedAt: times.at(-1) };
}

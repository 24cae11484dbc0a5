/**
 * Conversations that branch: many formats keep a tree of messages, of which one path is shown. That
 * path is the conversation; what leaves it is a branch of its own, which holds only what is not in the
 * conversation that it leaves. Missing parents and circles are survived.
 */

export interface TreeNode {
  readonly id: string;
  readonly parent: string | undefined;
}

export interface TreeBranch<N extends TreeNode> {
  /** From where it leaves, or from the root, to its leaf. */
  readonly nodes: readonly N[];
  /** The node before the first; absent for the first branch and for another root. */
  readonly forkedFrom?: N | undefined;
  /** Which of the branches before holds `forkedFrom`. */
  readonly of?: number | undefined;
}

/**
 * `shownLeaf`: the end of the path that is shown; where there is no such node, the last one of the
 * list that has no children. Later branches come in the order of the nodes.
 */
export function branchesOf<N extends TreeNode>(
  nodes: readonly N[],
  shownLeaf: string | undefined,
): TreeBranch<N>[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Set(nodes.map(({ parent }) => parent));
  const leaves = nodes.filter(({ id }) => !parents.has(id));
  const shown = (shownLeaf === undefined ? undefined : byId.get(shownLeaf)) ?? leaves.at(-1);
  const owner = new Map<string, number>();
  const branches: TreeBranch<N>[] = [];
  for (const leaf of [...(shown === undefined ? [] : [shown]), ...leaves, ...nodes.toReversed()]) {
    if (owner.has(leaf.id)) continue;
    const { path, forkedFrom } = pathTo(leaf, byId, owner);
    for (const { id } of path) owner.set(id, branches.length);
    const of = forkedFrom && owner.get(forkedFrom.id);
    branches.push({ nodes: path, forkedFrom, of });
  }
  return branches;
}

/** Up to a node that is in a branch already, a root, or a node of the path itself (a circle). */
function pathTo<N extends TreeNode>(
  leaf: N,
  byId: ReadonlyMap<string, N>,
  owner: ReadonlyMap<string, number>,
): { path: N[]; forkedFrom: N | undefined } {
  const path: N[] = [];
  const seen = new Set<string>();
  let node: N | undefined = leaf;
  while (node !== undefined && !owner.has(node.id) && !seen.has(node.id)) {
    path.push(node);
    seen.add(node.id);
    node = node.parent === undefined ? undefined : byId.get(node.parent);
  }
  const isFork = node !== undefined && owner.has(node.id);
  return { path: path.reverse(), forkedFrom: isFork ? node : undefined };
}

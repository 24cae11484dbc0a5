/**
 * Splits a tree of messages into branches. Many formats store a tree, of which they show one path. That
 * path is the first branch; each further branch has only the nodes that no earlier branch has. Missing
 * parents and cycles are allowed.
 */

export interface TreeNode {
  readonly id: string;
  readonly parent: string | undefined;
}

export interface TreeBranch<N extends TreeNode> {
  /** From the node after `forkedFrom`, or from the root, to the leaf. */
  readonly nodes: readonly N[];
  /** Parent of the first node; absent for the first branch and for a branch with another root. */
  readonly forkedFrom?: N | undefined;
  /** Index of the earlier branch that has `forkedFrom`. */
  readonly of?: number | undefined;
}

/**
 * `shownLeaf`: last node of the path that the source shows. If it is missing, the last leaf in `nodes` is
 * used. The other branches are in the order of `nodes`.
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

/**
 * The path from `leaf` up to a root, to a node of an earlier branch, or to a node that the path already has
 * (a cycle).
 */
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

/**
 * Gives ids that no other node has: of two messages with the same id, the second gets a number, so that none
 * is lost.
 */
export function uniqueIds(): (id: string) => string {
  const counts = new Map<string, number>();
  return (id) => {
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count === 1 ? id : `${id}#${count}`;
  };
}

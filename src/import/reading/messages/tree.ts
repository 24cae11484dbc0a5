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
  const seen = new Set<string>();
  const branches: TreeBranch<N>[] = [];
  for (const leaf of [...(shown === undefined ? [] : [shown]), ...leaves, ...nodes.toReversed()]) {
    if (seen.has(leaf.id)) continue;
    const branch = branchTo(leaf, byId, seen);
    for (const { id } of branch.nodes) seen.add(id);
    branches.push(branch);
  }
  return branches;
}

/**
 * The path from `leaf` up to a root, to a node of an earlier branch, or to a node that the path already has
 * (a cycle).
 */
function branchTo<N extends TreeNode>(
  leaf: N,
  byId: ReadonlyMap<string, N>,
  earlier: ReadonlySet<string>,
): TreeBranch<N> {
  const path: N[] = [];
  const own = new Set<string>();
  let node: N | undefined = leaf;
  while (node !== undefined && !earlier.has(node.id) && !own.has(node.id)) {
    path.push(node);
    own.add(node.id);
    node = node.parent === undefined ? undefined : byId.get(node.parent);
  }
  const isFork = node !== undefined && earlier.has(node.id);
  return { nodes: path.reverse(), forkedFrom: isFork ? node : undefined };
}

/**
 * Gives ids that no other node has: of two messages with the same id, the second gets a number, so that none
 * is lost.
 */
export function uniqueIds(): (id: string) => string {
  const counts = new Map<string, number>();
  return (id) => {
    let count = (counts.get(id) ?? 0) + 1;
    let unique = count === 1 ? id : `${id}#${count}`;
    // Another message may have this id in the export.
    for (; counts.has(unique); unique = `${id}#${count}`) count += 1;
    counts.set(id, count).set(unique, 1);
    return unique;
  };
}

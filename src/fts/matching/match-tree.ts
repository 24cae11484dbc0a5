/**
 * The documents of a segment that match each node of a query tree, and from those the documents in
 * which each phrase counts towards the rank: FTS5 counts a phrase only where every branch that
 * contains it matches, and never on the right of NOT.
 */
import type { NearNode, QueryNode } from '../query/tree.js';
import { childrenOf } from '../query/tree.js';
import { intersect, intersectAll, subtract, unite } from '../segments/posting-lists.js';
import { FREQUENCY_BITS, NO_POSTINGS, type PostingList } from '../segments/segment.js';

/** A node with the documents that match it. A leaf also has those of each of its phrases. */
export interface MatchedNode {
  readonly node: QueryNode;
  readonly documents: PostingList;
  readonly children: readonly MatchedNode[];
  readonly phrases: readonly PostingList[];
}

/** The documents that match a group, given those that match its children. */
export function combine(kind: 'and' | 'or' | 'not', children: readonly MatchedNode[]): PostingList {
  const lists = children.map(({ documents }) => documents);
  if (kind === 'or') return unite(lists);
  if (kind === 'and') return intersectAll(lists);
  return subtract(lists[0] ?? NO_POSTINGS, lists[1] ?? NO_POSTINGS);
}

/** The documents in which each phrase counts, in FTS5's order of phrases. */
export function countedPostings(root: MatchedNode, documents: PostingList): PostingList[] {
  const counted: PostingList[] = [];
  const visit = (
    { node, documents: own, children, phrases }: MatchedNode,
    allowed: PostingList,
  ) => {
    if (node.kind === 'near') {
      for (const list of phrases) counted.push(allowed === own ? list : intersect(list, allowed));
      return;
    }
    children.forEach((child, i) => {
      if (node.kind === 'not' && i === 1) visit(child, NO_POSTINGS);
      else if (node.kind === 'or')
        visit(child, allowed === own ? child.documents : intersect(child.documents, allowed));
      else visit(child, allowed);
    });
  };
  visit(root, documents);
  return counted;
}

/** The entries of `list` whose document `accepts` accepts. */
export function filterPostings(list: PostingList, accepts: (slot: number) => boolean): PostingList {
  const packed = new Uint32Array(list.length);
  let length = 0;
  for (let i = 0; i < list.length; i++) {
    const entry = list.packed[i] ?? 0;
    if (accepts(entry >>> FREQUENCY_BITS)) packed[length++] = entry;
  }
  return { packed, length };
}

/** A leaf of a query tree, with the number of its first phrase. */
export interface NumberedLeaf {
  readonly node: NearNode;
  readonly firstPhrase: number;
}

/** The leaf of each phrase of a tree, in FTS5's order of phrases. */
export function leavesByPhrase(root: QueryNode): NumberedLeaf[] {
  const leaves: NumberedLeaf[] = [];
  const visit = (node: QueryNode) => {
    const firstPhrase = leaves.length;
    if (node.kind === 'near') for (const _ of node.phrases) leaves.push({ node, firstPhrase });
    else childrenOf(node).forEach(visit);
  };
  visit(root);
  return leaves;
}

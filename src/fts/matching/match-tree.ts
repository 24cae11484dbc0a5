/**
 * Finds the documents of a segment that match each node of a query tree. From these it finds the documents in
 * which each phrase counts for the rank: FTS5 counts a phrase only in documents that match every branch that
 * contains the phrase, and never counts a phrase on the right of NOT.
 */
import { childrenOf, type NearNode, type QueryNode } from '../query/tree.js';
import { intersect, intersectAll, subtract, unite } from '../segments/posting-lists.js';
import { DETAIL_BITS, NO_POSTINGS, type PostingList } from '../segments/segment.js';

/** A node with the documents that match it. A leaf also has those of each of its phrases. */
export interface MatchedNode {
  readonly node: QueryNode;
  readonly documents: PostingList;
  readonly children: readonly MatchedNode[];
  readonly phrases: readonly PostingList[];
  /** The posting list of one phrase, if `documents` is a subset of it with the same entries. */
  readonly supersetList?: PostingList | undefined;
}

/** The documents that match a group, given those that match its children. */
export function combine(
  node: Exclude<QueryNode, NearNode>,
  children: readonly MatchedNode[],
): MatchedNode {
  const lists = children.map(({ documents }) => documents);
  if (node.kind === 'or') return { node, documents: unite(lists), children, phrases: [] };
  const isAnd = node.kind === 'and';
  const [left = NO_POSTINGS, right = NO_POSTINGS] = lists;
  const documents = isAnd ? intersectAll(lists) : subtract(left, right);
  // intersectAll has the entries of the first of the shortest lists.
  const first = isAnd ? lists.reduce((a, b) => (b.length < a.length ? b : a)) : left;
  const { supersetList } = children[lists.indexOf(first)] ?? {};
  return { node, documents, children, phrases: [], supersetList };
}

/** The documents in which each phrase counts, in FTS5's order of phrases. */
export function countedPostings(root: MatchedNode, documents: PostingList): PostingList[] {
  const counted: PostingList[] = [];
  const visit = (
    { node, documents: own, children, phrases }: MatchedNode,
    allowed: PostingList,
    supersetList: PostingList | undefined,
  ) => {
    if (node.kind === 'near') {
      const isWhole = allowed === own;
      for (const list of phrases)
        counted.push(isWhole ? list : list === supersetList ? allowed : intersect(list, allowed));
      return;
    }
    children.forEach((child, i) => {
      const { documents: found } = child;
      if (node.kind === 'not' && i === 1) visit(child, NO_POSTINGS, undefined);
      else if (node.kind === 'or')
        visit(child, allowed === own ? found : intersect(found, allowed), child.supersetList);
      else visit(child, allowed, supersetList);
    });
  };
  visit(root, documents, root.supersetList);
  return counted;
}

/** The entries of `list` for whose documents `accepts` returns true. */
export function filterPostings(list: PostingList, accepts: (slot: number) => boolean): PostingList {
  const packed = new Uint32Array(list.length);
  let length = 0;
  for (let i = 0; i < list.length; i++) {
    const entry = list.packed[i] ?? 0;
    if (accepts(entry >>> DETAIL_BITS)) packed[length++] = entry;
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

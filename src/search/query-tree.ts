/**
 * The parsed form of a query, and the few ways to build it. FTS5 numbers phrases as parsed, left to
 * right, and ranks them in that order; `phrasesOf` gives it back. Columns are bit masks: bit i is
 * column i of the index.
 */

/** One term of a phrase: the term itself, all that begin with it, or any of those listed. */
export interface QueryTerm {
  readonly term: string;
  readonly prefix: boolean;
  /** Other spellings that count as this term (typo-tolerant search). */
  readonly spellings?: readonly string[];
}

/** Consecutive terms. `columns` of 0 matches nothing, as do no terms at all. */
export interface Phrase {
  readonly terms: readonly QueryTerm[];
  /** `^`: only at the beginning of a column. */
  readonly first: boolean;
  readonly columns: number;
  /** Words with symbols between them, exactly as typed: see symbols.ts. `terms` are the words. */
  readonly pattern?: Uint8Array;
  /** The CJK characters that `terms` are the pairs of. */
  readonly run?: string;
}

/** One phrase, or several within `distance` tokens of one another. */
export interface NearNode {
  readonly kind: 'near';
  readonly phrases: readonly Phrase[];
  readonly distance: number;
  /** Set on a bare word or quoted text without operators: what auto may widen. */
  readonly source?: string;
}

interface GroupNode {
  readonly kind: 'and' | 'or';
  readonly children: readonly QueryNode[];
}

interface NotNode {
  readonly kind: 'not';
  readonly left: QueryNode;
  readonly right: QueryNode;
}

export type QueryNode = NearNode | GroupNode | NotNode;

/** FTS5's own default of NEAR. */
export const DEFAULT_DISTANCE = 10;

/** A leaf of one phrase. */
export function phraseNode(phrase: Phrase, source?: string): NearNode {
  const node = { kind: 'near', phrases: [phrase], distance: DEFAULT_DISTANCE } as const;
  return source === undefined ? node : { ...node, source };
}

/** Joins nodes; a lone one stays itself. `nodes` is not empty. */
export function group(kind: 'and' | 'or', nodes: readonly QueryNode[]): QueryNode {
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? only : { kind, children: nodes };
}

export function childrenOf(node: QueryNode): readonly QueryNode[] {
  if (node.kind === 'near') return [];
  return node.kind === 'not' ? [node.left, node.right] : node.children;
}

/** Every phrase in the order in which FTS5 numbers and ranks them. */
export function phrasesOf(node: QueryNode): Phrase[] {
  return node.kind === 'near' ? [...node.phrases] : childrenOf(node).flatMap(phrasesOf);
}

/** The same leaf with each phrase replaced by `change(phrase)`. */
export function mapLeaf(node: NearNode, change: (phrase: Phrase) => Phrase): NearNode {
  return { ...node, phrases: node.phrases.map(change) };
}

/** The same tree with each phrase replaced by `change(phrase)`. */
export function mapPhrases(node: QueryNode, change: (phrase: Phrase) => Phrase): QueryNode {
  if (node.kind === 'near') return mapLeaf(node, change);
  if (node.kind !== 'not') {
    return { ...node, children: node.children.map((child) => mapPhrases(child, change)) };
  }
  const [left, right] = [mapPhrases(node.left, change), mapPhrases(node.right, change)];
  return { kind: 'not', left, right };
}

/**
 * The parsed form of a query and the functions that build it. FTS5 numbers the phrases from left to right and
 * adds their scores in that order; `phrasesOf` returns them in that order. Columns are bit masks: bit i is
 * column i of the index.
 */
import type { Pattern } from '../../base/arrays/pattern.js';

/** One token of a phrase: the term itself, any term that begins with it, or any of its spellings. */
export interface QueryTerm {
  readonly term: string;
  readonly prefix: boolean;
  /** Other terms that match as well (typo-tolerant search). */
  readonly spellings?: readonly string[];
}

/** Symbols of a phrase that the text must contain as typed. */
export interface SymbolPattern {
  /** See symbolPattern in symbol-chunks.ts. */
  readonly pattern: Pattern;
  /** Number of the phrase's terms before the end of the pattern. */
  readonly words: number;
}

/** Consecutive terms. A phrase without terms, or with `columns` of 0, matches nothing. */
export interface Phrase {
  readonly terms: readonly QueryTerm[];
  /** `^`: only at the beginning of a column. */
  readonly first: boolean;
  readonly columns: number;
  /** For words with symbols as typed (`C++`); `terms` are the words. None unless given. */
  readonly symbols?: readonly SymbolPattern[];
  /** The CJK characters whose bigrams are `terms`. */
  readonly cjkRun?: string;
}

/** A leaf of the tree: one phrase, or several within `distance` tokens of one another. */
export interface NearNode {
  readonly kind: 'near';
  readonly phrases: readonly Phrase[];
  readonly distance: number;
  /** The text of a bare word or quoted phrase without operators, which `auto` may widen. */
  readonly source?: string | undefined;
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

/** FTS5's default distance of NEAR. */
export const DEFAULT_DISTANCE = 10;

/** A leaf of one phrase. */
export function phraseNode(phrase: Phrase, source?: string): NearNode {
  return { kind: 'near', phrases: [phrase], distance: DEFAULT_DISTANCE, source };
}

/** Joins nodes; returns a single node unchanged, and for none a phrase that matches nothing. */
export function group(kind: 'and' | 'or', nodes: readonly QueryNode[]): QueryNode {
  const [only = phraseNode({ terms: [], first: false, columns: 0 })] = nodes;
  return nodes.length < 2 ? only : { kind, children: nodes };
}

export function childrenOf(node: QueryNode): readonly QueryNode[] {
  if (node.kind === 'near') return [];
  return node.kind === 'not' ? [node.left, node.right] : node.children;
}

/** Every phrase, in the order in which FTS5 numbers phrases and adds their scores. */
export function phrasesOf(
  node: QueryNode,
  parts = childrenOf,
  phrases: Phrase[] = [],
): readonly Phrase[] {
  if (node.kind === 'near') phrases.push(...node.phrases);
  else for (const child of parts(node)) phrasesOf(child, parts, phrases);
  return phrases;
}

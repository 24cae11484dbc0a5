/**
 * Turns what a caller typed into a query tree, for each way of matching. `fts5` is FTS5's grammar
 * and answers, exactly. The others never fail on syntax, and they also find CJK text by any part of
 * it and words with symbols as typed, through what extended-tokens.ts and
 * symbols.ts add.
 */
import { isAppError } from '../base/errors.js';
import type { Dictionary } from './dictionary.js';
import { cjkRunsOf, hasSymbols, pairsOf } from './extended-tokens.js';
import { parseQuery, type QueryColumns } from './query.js';
import {
  group,
  type NearNode,
  type Phrase,
  phraseNode,
  type QueryNode,
  type QueryTerm,
} from './query-tree.js';
import type { MatchType } from './search-modes.js';
import { symbolPattern, WORD } from './symbols.js';
import { termsOf, tokenize } from './tokenizer.js';

export interface MatchContext {
  readonly columns: QueryColumns;
  /** Mask of the column that holds CJK pairs. */
  readonly pairs: number;
  readonly dictionary: Dictionary;
}

/** A query to run, and what to run if that finds nothing. */
export interface MatchPlan {
  readonly root: QueryNode;
  readonly relaxed?: QueryNode;
}

/** As many words as anyone types; the rest of a pasted text adds work, not meaning. */
const MAX_WORDS = 256;
const OPERATOR = /["(){}:,+*^]|(?:^|\s)(?:AND|OR|NOT|NEAR\/\d+)(?:\s|$)/;

type Shape = (term: string, isLast: boolean) => QueryTerm;
const plain: Shape = (term) => ({ term, prefix: false });
const prefixLast: Shape = (term, isLast) => ({ term, prefix: isLast });

function phraseOf(
  terms: readonly string[],
  columns: number,
  shape: Shape,
  typed: Pick<Phrase, 'pattern' | 'run'> = {},
): NearNode {
  const shaped = terms.map((term, i) => shape(term, i === terms.length - 1));
  return phraseNode({ terms: shaped, first: false, columns, ...typed });
}

/** CJK runs of a chunk as phrases of pairs; a lone character by prefix. */
function cjkNode(chunk: string, { pairs: column }: MatchContext): QueryNode {
  const runs = cjkRunsOf(chunk).map((run) => {
    const pairs = pairsOf(run);
    return phraseOf(pairs, column, [...run].length === 1 ? prefixLast : plain, { run });
  });
  return group('and', runs);
}

/** A chunk with symbols, as typed. */
function symbolNode(chunk: string, context: MatchContext, shape: Shape): QueryNode {
  const terms: string[] = [];
  const pieces: string[] = [];
  let copied = 0;
  tokenize(chunk, (term, start, end) => {
    terms.push(term);
    if (start > copied) pieces.push(chunk.slice(copied, start));
    pieces.push(WORD);
    copied = end;
  });
  if (copied < chunk.length) pieces.push(chunk.slice(copied));
  // `C++` is no beginning of `cat++`.
  const endsInWord = copied === chunk.length;
  const pattern = symbolPattern(pieces);
  return phraseOf(terms, context.columns.defaults, endsInWord ? shape : plain, { pattern });
}

/** What one typed chunk asks for; nothing if it holds no word and no symbol. */
function chunkNodes(chunk: string, context: MatchContext, shape: Shape): QueryNode[] {
  if (hasSymbols(chunk)) return [symbolNode(chunk, context, shape)];
  const terms = termsOf(chunk);
  if (terms.length === 0) return [];
  const word = phraseOf(terms, context.columns.defaults, shape);
  return cjkRunsOf(chunk).length === 0 ? [word] : [group('or', [word, cjkNode(chunk, context)])];
}

const chunksOf = (text: string) =>
  text
    .replaceAll('"', ' ')
    .split(/\s+/)
    .filter((chunk) => chunk !== '')
    .slice(0, MAX_WORDS);

const nothing = (context: MatchContext) => phraseOf([], context.columns.defaults, plain);

function wordsNode(
  text: string,
  kind: 'and' | 'or',
  context: MatchContext,
  shape: Shape = plain,
): QueryNode {
  const nodes = chunksOf(text).flatMap((chunk) => chunkNodes(chunk, context, shape));
  return nodes.length === 0 ? nothing(context) : group(kind, nodes);
}

/** The whole text as one phrase: of words, or of words and symbols where it has any. */
function exactNode(text: string, context: MatchContext): QueryNode {
  if (hasSymbols(text)) return wordsNode(text, 'and', context);
  const phrase = phraseOf(termsOf(text), context.columns.defaults, plain);
  return cjkRunsOf(text).length === 0 ? phrase : group('or', [phrase, cjkNode(text, context)]);
}

/** Edits allowed in a word of this many characters. */
const editsFor = (length: number) => (length < 4 ? 0 : length < 8 ? 1 : 2);

/** Each word as itself or as a near spelling; counted twice where it is exact, so that it leads. */
function fuzzyNode(text: string, context: MatchContext): QueryNode {
  const near: Shape = (term) => {
    const spellings = context.dictionary.spellingsOf(term, editsFor([...term].length));
    return { term, prefix: false, spellings };
  };
  const nodes = chunksOf(text).flatMap((chunk) => {
    const exact = chunkNodes(chunk, context, plain);
    if (exact.length === 0 || hasSymbols(chunk)) return exact;
    const loose = phraseOf(termsOf(chunk), context.columns.defaults, near);
    return [group('or', [...exact, loose])];
  });
  return nodes.length === 0 ? nothing(context) : group('and', nodes);
}

/** Lets bare CJK words of a valid FTS5 query be found within longer runs. */
function widened(node: QueryNode, context: MatchContext): QueryNode {
  if (node.kind === 'not')
    return { ...node, left: widened(node.left, context), right: widened(node.right, context) };
  if (node.kind !== 'near')
    return { ...node, children: node.children.map((child) => widened(child, context)) };
  const { source, phrases } = node;
  const isBare = phrases[0]?.columns === context.columns.defaults;
  if (source === undefined || !isBare || cjkRunsOf(source).length === 0) return node;
  return group('or', [node, cjkNode(source, context)]);
}

function autoPlan(text: string, context: MatchContext): MatchPlan {
  try {
    const root = widened(parseQuery(text, context.columns), context);
    return OPERATOR.test(text) ? { root } : { root, relaxed: wordsNode(text, 'or', context) };
  } catch (error) {
    if (!isAppError(error, 'QUERY_SYNTAX')) throw error;
    return { root: wordsNode(text, 'and', context), relaxed: wordsNode(text, 'or', context) };
  }
}

/** The tree for `text` under `matchType`. Throws `QUERY_SYNTAX` for `fts5` only. */
export function planMatch(text: string, matchType: MatchType, context: MatchContext): MatchPlan {
  switch (matchType) {
    case 'fts5':
      return { root: parseQuery(text, context.columns) };
    case 'auto':
      return autoPlan(text, context);
    case 'exact':
      return { root: exactNode(text, context) };
    case 'prefix':
      return { root: wordsNode(text, 'and', context, prefixLast) };
    case 'any':
      return { root: wordsNode(text, 'or', context) };
    case 'fuzzy':
      return { root: fuzzyNode(text, context) };
  }
}

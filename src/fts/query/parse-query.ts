/**
 * Parses what a caller typed, by match type. `fts5` has FTS5's grammar and returns exactly what FTS5 returns.
 * With the other types no text is a syntax error. They also find CJK text by any two or more of its characters
 * (cjk-bigrams.ts), and words with symbols as typed (symbol-chunks.ts).
 */
import { isAppError } from '../../base/errors.js';
import type { Dictionary } from '../terms/dictionary.js';
import { bigramsOf, cjkRunsOf } from '../tokenizing/cjk-bigrams.js';
import { hasSymbols } from '../tokenizing/symbol-characters.js';
import { symbolPattern } from '../tokenizing/symbol-chunks.js';
import { termsOf, tokenize } from '../tokenizing/tokenizer.js';
import { parseFts5, type QueryColumns } from './fts5-parser.js';
import { allowedEdits } from './fuzzy-edits.js';
import type { MatchType } from './match-type-names.js';
import {
  group,
  type NearNode,
  type Phrase,
  phraseNode,
  type QueryNode,
  type QueryTerm,
  type SymbolPattern,
} from './tree.js';

export interface ParseContext {
  readonly columns: QueryColumns;
  /** Mask of the hidden column that holds CJK bigrams. */
  readonly bigramColumn: number;
  readonly dictionary: Dictionary;
}

/** A query to execute, and the query to execute if that one finds nothing. */
export interface ParsedQuery {
  readonly root: QueryNode;
  readonly relaxed?: QueryNode;
}

/** Words that are searched. The rest of a long pasted text adds work but no meaning. */
const MAX_WORDS = 256;
const OPERATOR = /["(){}:,+*^]|(?:^|\s)(?:AND|OR|NOT|NEAR\/\d+)(?:\s|$)/;

/** Returns `undefined` if the query is not valid FTS5, such as a sentence with a comma or a colon. */
function parseValidFts5(text: string, columns: QueryColumns): QueryNode | undefined {
  try {
    return parseFts5(text, columns);
  } catch (error) {
    if (!isAppError(error, 'QUERY_SYNTAX')) throw error;
    return undefined;
  }
}

/** Whether a query has operators, quotes or column filters, so that it is more than plain words. */
export function usesOperators(text: string, columns: QueryColumns): boolean {
  const isValid = () => parseValidFts5(text, columns) !== undefined;
  return text.includes('"') || (OPERATOR.test(text) && isValid());
}

/** How a typed term is matched. */
type ToQueryTerm = (term: string, isLast: boolean) => QueryTerm;
const plain: ToQueryTerm = (term) => ({ term, prefix: false });
const prefixLast: ToQueryTerm = (term, isLast) => ({ term, prefix: isLast });

function phraseOf(
  terms: readonly string[],
  columns: number,
  toTerm: ToQueryTerm,
  extras: Pick<Phrase, 'symbols' | 'cjkRun'> = {},
): NearNode {
  const queryTerms = terms.map((term, i) => toTerm(term, i === terms.length - 1));
  return phraseNode({ terms: queryTerms, first: false, columns, ...extras });
}

/** The CJK runs of a chunk as phrases of bigrams; a single character as a prefix. */
function cjkNode(chunk: string, { bigramColumn }: ParseContext): QueryNode {
  const runs = cjkRunsOf(chunk).map((cjkRun) => {
    const isOneCharacter = [...cjkRun].length === 1;
    return phraseOf(bigramsOf(cjkRun), bigramColumn, isOneCharacter ? prefixLast : plain, {
      cjkRun,
    });
  });
  return group('and', runs);
}

/** The words of a chunk with symbols, and the chunk as a pattern of words and symbols. */
function readChunk(chunk: string) {
  const terms: string[] = [];
  const symbols: string[] = [];
  let copied = 0;
  tokenize(chunk, (term, start, end) => {
    terms.push(term);
    symbols.push(chunk.slice(copied, start));
    copied = end;
  });
  symbols.push(chunk.slice(copied));
  return { terms, pattern: symbolPattern(symbols), endsInWord: copied === chunk.length };
}

/** A chunk with symbols, as typed. */
function symbolNode(chunk: string, { columns }: ParseContext, toTerm: ToQueryTerm): QueryNode {
  const { terms, pattern, endsInWord } = readChunk(chunk);
  // `C++` is not a prefix of `cat++`.
  const symbols = [{ pattern, words: terms.length }];
  return phraseOf(terms, columns.defaults, endsInWord ? toTerm : plain, { symbols });
}

/** The node of one typed chunk, in a list; an empty list if it has no word and no symbol. */
function chunkNodes(chunk: string, context: ParseContext, toTerm: ToQueryTerm): QueryNode[] {
  if (hasSymbols(chunk)) return [symbolNode(chunk, context, toTerm)];
  const terms = termsOf(chunk);
  if (terms.length === 0) return [];
  const word = phraseOf(terms, context.columns.defaults, toTerm);
  return cjkRunsOf(chunk).length === 0 ? [word] : [group('or', [word, cjkNode(chunk, context)])];
}

const splitAtSpaces = (text: string) => text.split(/\s+/).filter((chunk) => chunk !== '');
/** Equal chunks with symbols count once, because each is looked for in the whole text of every document. */
const chunksOf = (text: string) =>
  splitAtSpaces(text.replaceAll('"', ' '))
    .filter((chunk, at, all) => !hasSymbols(chunk) || all.indexOf(chunk) === at)
    .slice(0, MAX_WORDS);

function wordsNode(
  text: string,
  kind: 'and' | 'or',
  context: ParseContext,
  toTerm: ToQueryTerm = plain,
): QueryNode {
  return group(
    kind,
    chunksOf(text).flatMap((chunk) => chunkNodes(chunk, context, toTerm)),
  );
}

/** The whole text as one phrase. The document must contain its symbols as typed. */
function exactNode(text: string, context: ParseContext): QueryNode {
  if (cjkRunsOf(text).length > 0) {
    // CJK text has no words, so that a phrase of words and symbols cannot span it.
    if (hasSymbols(text)) return wordsNode(text, 'and', context);
    const phrase = phraseOf(termsOf(text), context.columns.defaults, plain);
    return group('or', [phrase, cjkNode(text, context)]);
  }
  const terms: string[] = [];
  const patterns = new Map<string, SymbolPattern>();
  for (const chunk of splitAtSpaces(text.replaceAll('"', ' '))) {
    const { terms: own, pattern } = readChunk(chunk);
    terms.push(...own);
    if (hasSymbols(chunk) && patterns.size < MAX_WORDS)
      patterns.set(`${terms.length} ${chunk}`, { pattern, words: terms.length });
  }
  const symbols = [...patterns.values()];
  return phraseOf(terms, context.columns.defaults, plain, symbols.length > 0 ? { symbols } : {});
}

/** Each word in any near spelling. The exact word counts twice, so that its documents rank higher. */
function fuzzyNode(text: string, context: ParseContext): QueryNode {
  const withSpellings: ToQueryTerm = (term) => {
    const spellings = context.dictionary.spellingsOf(term, allowedEdits(term));
    return { term, prefix: false, spellings };
  };
  const nodes = chunksOf(text).flatMap((chunk) => {
    const exact = chunkNodes(chunk, context, plain);
    if (exact.length === 0 || hasSymbols(chunk)) return exact;
    const loose = phraseOf(termsOf(chunk), context.columns.defaults, withSpellings);
    return [group('or', [...exact, loose])];
  });
  return group('and', nodes);
}

/** Adds to bare CJK words of an FTS5 query that they also match inside longer runs. */
function widenCjk(node: QueryNode, context: ParseContext): QueryNode {
  if (node.kind === 'not')
    return { ...node, left: widenCjk(node.left, context), right: widenCjk(node.right, context) };
  if (node.kind !== 'near')
    return { ...node, children: node.children.map((child) => widenCjk(child, context)) };
  const { source, phrases } = node;
  const isBare = phrases[0]?.columns === context.columns.defaults;
  if (source === undefined || !isBare || cjkRunsOf(source).length === 0) return node;
  return group('or', [node, cjkNode(source, context)]);
}

function parseAuto(text: string, context: ParseContext): ParsedQuery {
  const valid = parseValidFts5(text, context.columns);
  const root = valid ? widenCjk(valid, context) : wordsNode(text, 'and', context);
  return valid && OPERATOR.test(text)
    ? { root }
    : { root, relaxed: wordsNode(text, 'or', context) };
}

/** Parses `text` by match type. Throws `QUERY_SYNTAX` for `fts5` only. */
export function parseQuery(text: string, matchType: MatchType, context: ParseContext): ParsedQuery {
  switch (matchType) {
    case 'fts5':
      return { root: parseFts5(text, context.columns) };
    case 'auto':
      return parseAuto(text, context);
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

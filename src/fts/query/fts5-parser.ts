/**
 * A parser for FTS5's complete query grammar. It returns a tree or throws `QUERY_SYNTAX` with a position.
 * Operators from the tightest: implicit AND (words side by side), NOT, AND, OR. An implicit AND cannot
 * be next to a parenthesis. A text without terms (`""`, `—`) is ignored beside other words and
 * matches nothing alone. The maximum depth is that of FTS5. The limits on symbols and phrases are
 * Daybook's own; they bound the work of one query.
 */

import { termsOf } from '../tokenizing/tokenizer.js';
import { type QuerySymbol, querySyntaxError, readSymbols, type SymbolKind } from './lexer.js';
import {
  childrenOf,
  DEFAULT_DISTANCE,
  group,
  type NearNode,
  type Phrase,
  phraseNode,
  type QueryNode,
  type QueryTerm,
} from './tree.js';

export interface QueryColumns {
  readonly names: readonly string[];
  /** Mask of the columns that words without a column filter search. */
  readonly defaults: number;
}

/** FTS5's limit for the depth of a tree. */
const MAX_DEPTH = 256;
/** More than anyone types. Keeps the work of one query within seconds on the largest store. */
const MAX_SYMBOLS = 8_192;
const MAX_PHRASES = 2_048;
/** The work of a NEAR grows with the square of its phrases. */
const MAX_NEAR_PHRASES = 32;
/** Larger than any text. FTS5 has the same limit. */
const MAX_DISTANCE = 0x7fffffff;
/** The mask where no filter is given. Differs from every real mask: those have no sign bit. */
const ANY_COLUMN = -1;
/** What a word, a phrase or a NEAR can begin with. */
const OPERAND_STARTS: readonly SymbolKind[] = ['string', '^', '{', '-'];

class Parser {
  readonly #symbols: readonly QuerySymbol[];
  readonly #columns: QueryColumns;
  /** The columns that all filters around the current place allow. */
  #mask = ANY_COLUMN;
  #at = 0;
  #nesting = 0;
  #phrases = 0;

  constructor(query: string, columns: QueryColumns) {
    this.#symbols = readSymbols(query);
    this.#columns = columns;
    const excess = this.#symbols[MAX_SYMBOLS];
    if (excess)
      throw querySyntaxError(
        `The query has more than ${MAX_SYMBOLS} words and operators`,
        excess.position,
      );
  }

  parse(): QueryNode {
    const node = this.#or();
    if (this.#peek().kind !== 'end') throw this.#unexpected();
    return node;
  }

  #peek(ahead = 0): QuerySymbol {
    return (this.#symbols[this.#at + ahead] ?? this.#symbols.at(-1)) as QuerySymbol;
  }

  #take(kind: SymbolKind): QuerySymbol | undefined {
    const symbol = this.#peek();
    if (symbol.kind !== kind) return undefined;
    this.#at++;
    return symbol;
  }

  #expect(kind: SymbolKind): QuerySymbol {
    const symbol = this.#take(kind);
    if (symbol === undefined) throw this.#unexpected();
    return symbol;
  }

  #unexpected(): Error {
    const { kind, text, position } = this.#peek();
    const what = kind === 'end' ? 'The query is incomplete' : `Syntax error near "${text}"`;
    return querySyntaxError(what, position);
  }

  #or(): QueryNode {
    const nodes = [this.#and()];
    while (this.#take('OR')) nodes.push(this.#and());
    return group('or', nodes);
  }

  #and(): QueryNode {
    const nodes = [this.#not()];
    while (this.#take('AND')) nodes.push(this.#not());
    return group('and', nodes);
  }

  #not(): QueryNode {
    let node = this.#operand();
    while (this.#take('NOT')) node = { kind: 'not', left: node, right: this.#operand() };
    return node;
  }

  #operand(): QueryNode {
    const outer = this.#mask;
    const filter = this.#filter();
    if (this.#peek().kind !== '(') return this.#implicitAnd(filter);
    this.#mask = outer & filter;
    const node = this.#parenthesis();
    this.#mask = outer;
    return node;
  }

  #parenthesis(): QueryNode {
    const open = this.#expect('(');
    if (++this.#nesting > MAX_DEPTH) throw tooDeep(open.position);
    const node = this.#or();
    this.#expect(')');
    this.#nesting--;
    return node;
  }

  /** `filter` is that of the first operand. */
  #implicitAnd(filter: number): QueryNode {
    const nodes = [this.#near(filter)];
    while (OPERAND_STARTS.includes(this.#peek().kind)) nodes.push(this.#near(this.#filter()));
    if (nodes.length === 1) return nodes[0] as NearNode;
    const kept = nodes.filter((node) => node.phrases.some((phrase) => phrase.terms.length > 0));
    return group('and', kept.length > 0 ? kept : nodes.slice(0, 1));
  }

  /** The mask of a filter `name :`, `{names} :`, `- name :` or `- {names} :`; ANY_COLUMN if there is none here. */
  #filter(): number {
    const opens = this.#peek().kind;
    const named = opens === 'string' && this.#peek(1).kind === ':';
    if (!named && opens !== '{' && opens !== '-') return ANY_COLUMN;
    const negated = this.#take('-') !== undefined;
    let mask = 0;
    if (this.#take('{')) {
      do mask |= this.#columnBit(this.#expect('string'));
      while (this.#take('}') === undefined);
    } else {
      mask = this.#columnBit(this.#expect('string'));
    }
    this.#expect(':');
    return negated ? this.#columns.defaults & ~mask : mask;
  }

  #columnBit({ text, position }: QuerySymbol): number {
    const index = this.#columns.names.findIndex((name) => lower(name) === lower(text));
    if (index < 0) throw querySyntaxError(`There is no column "${text}"`, position);
    return 1 << index;
  }

  #near(filter: number): NearNode {
    const outer = this.#mask;
    this.#mask = outer & filter;
    const node = this.#narrowedNear();
    this.#mask = outer;
    return node;
  }

  #narrowedNear(): NearNode {
    if (this.#take('^')) return phraseNode(this.#phrase(true).phrase);
    if (this.#peek().kind === 'string' && this.#peek(1).kind === '(') return this.#nearGroup();
    const { phrase, source } = this.#phrase();
    return this.#peek().kind === 'NEAR/' ? this.#nearChain(phrase) : phraseNode(phrase, source);
  }

  #nearGroup(): NearNode {
    const name = this.#peek();
    if (name.text !== 'NEAR' || name.quoted) throw this.#unexpected();
    this.#at += 2;
    const phrases: Phrase[] = [];
    do phrases.push(this.#phrase().phrase);
    while (this.#peek().kind === 'string');
    let distance = DEFAULT_DISTANCE;
    if (this.#take(',')) {
      const { text, quoted, position } = this.#expect('string');
      if (quoted || !/^[0-9]+$/.test(text))
        throw querySyntaxError('NEAR needs a number after the comma', position);
      distance = Number(text);
    }
    this.#expect(')');
    return nearNode(phrases, distance, name.position);
  }

  #nearChain(first: Phrase): NearNode {
    const phrases = [first];
    const { text: distance, position } = this.#peek();
    for (let near = this.#take('NEAR/'); near; near = this.#take('NEAR/')) {
      if (near.text !== distance)
        throw querySyntaxError('All NEAR/ of one chain must have the same distance', near.position);
      phrases.push(this.#phrase().phrase);
    }
    return nearNode(phrases, Number(distance), position);
  }

  #phrase(first = false): { phrase: Phrase; source: string } {
    const start = this.#peek().position;
    const terms: QueryTerm[] = [];
    let source = '';
    do {
      const { text } = this.#expect('string');
      source = source === '' ? text : `${source} ${text}`;
      for (const term of termsOf(text)) terms.push({ term, prefix: false });
      const prefix = this.#take('*') !== undefined;
      const last = terms.pop();
      // In FTS5, `a* + ""` is no prefix: every string of a phrase sets the mark of its last term again.
      if (last) terms.push({ term: last.term, prefix });
    } while (this.#take('+'));
    this.#phrases += Math.max(1, terms.length);
    if (this.#phrases > MAX_PHRASES)
      throw querySyntaxError(`The query has more than ${MAX_PHRASES} words`, start);
    const columns = this.#mask === ANY_COLUMN ? this.#columns.defaults : this.#mask;
    return { phrase: { terms, first, columns }, source };
  }
}

const lower = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const tooDeep = (position: number) =>
  querySyntaxError(`The query is nested deeper than ${MAX_DEPTH}`, position);

/** Removes phrases without terms from a NEAR, unless all of its phrases are such. */
function nearNode(phrases: readonly Phrase[], distance: number, position: number): NearNode {
  if (phrases.length > MAX_NEAR_PHRASES)
    throw querySyntaxError(`One NEAR has more than ${MAX_NEAR_PHRASES} phrases`, position);
  const kept = phrases.filter((phrase) => phrase.terms.length > 0);
  return {
    kind: 'near',
    phrases: kept.length > 0 ? kept : phrases.slice(0, 1),
    distance: Math.min(distance, MAX_DISTANCE),
  };
}

/** The height of a tree as FTS5 counts it: an AND in an AND or an OR in an OR adds nothing. */
function heightOf(node: QueryNode, parent?: QueryNode['kind']): number {
  if (node.kind === 'near') return 0;
  const below = Math.max(...childrenOf(node).map((child) => heightOf(child, node.kind)));
  return node.kind === parent && node.kind !== 'not' ? below : below + 1;
}

/** Parses an FTS5 query. Throws `QUERY_SYNTAX` with `details.position`. */
export function parseFts5(query: string, columns: QueryColumns): QueryNode {
  const node = new Parser(query, columns).parse();
  if (heightOf(node) > MAX_DEPTH) throw tooDeep(0);
  return node;
}

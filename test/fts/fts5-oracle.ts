/**
 * FTS5's rules in a slow and simple form, for tests: random queries are derived from the grammar, so that the
 * oracle knows their meaning and shares no parser with the engine.
 */
import { exactLog } from '../../src/fts/ranking/exact-log.js';
import { termsOf } from '../../src/fts/tokenizing/tokenizer.js';
import { seededRandom } from '../support/seeded-random.js';

export interface Random {
  /** An integer from 0 up to, not including, `bound`. */
  below(bound: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** A random source with the choices that these tests make. */
export function randomChoices(seed: number): Random {
  const next = seededRandom(seed);
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)]!,
  };
}

interface OraclePhrase {
  terms: { term: string; prefix: boolean }[];
  first: boolean;
  columns: readonly number[];
}
type OracleNode =
  | { kind: 'leaf'; phrases: OraclePhrase[]; distance: number }
  | { kind: 'and' | 'or' | 'not'; children: OracleNode[] };

export interface RandomQuery {
  text: string;
  node: OracleNode;
}

export const COLUMNS = ['title', 'body', 'tags'] as const;
const ALL = [0, 1, 2];

const WORDS =
  "a b c ab abc abd ba cab a1 é e eau Über uber 日本 日本語 日 кот КОТЫ x_y o'clock naïve 10 100 ß ǆ ñandú σς Σ ⅷ 𐐀b not and near or".split(
    ' ',
  );
const PUNCTUATION = [' ', ' ', ' ', '  ', '. ', ', ', ' — ', '\n', '-', ': ', ' (', ') ', '…'];

export function randomText(random: Random, words: number): string {
  let text = '';
  for (let i = 0; i < words; i++) {
    // Half of the words are from the first few, so that phrases and NEAR have matches.
    text += random.chance(0.5) ? random.pick(WORDS.slice(0, 6)) : random.pick(WORDS);
    text += random.pick(PUNCTUATION);
  }
  return text;
}

function inQuotes(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function randomPhrase(random: Random): { text: string; phrase: OraclePhrase } {
  const parts: string[] = [];
  const terms: OraclePhrase['terms'] = [];
  do {
    const kind = random.below(20);
    const raw =
      kind < 13
        ? random.pick(WORDS.slice(0, 10))
        : kind < 18
          ? randomText(random, 1 + random.below(3))
          : random.pick(['', '—', '"', '- ']);
    const bare = /^[A-Za-z0-9_\u0080-\u{10ffff}]+$/u.test(raw) && !/^(AND|OR|NOT|NEAR)$/.test(raw);
    const star = random.chance(0.2);
    parts.push(
      (bare && random.chance(0.8) ? raw : inQuotes(raw)) + (star ? random.pick(['*', ' *']) : ''),
    );
    for (const term of termsOf(raw)) terms.push({ term, prefix: false });
    if (terms.length > 0) terms[terms.length - 1]!.prefix = star;
  } while (random.chance(0.15));
  return { text: parts.join(' + '), phrase: { terms, first: false, columns: ALL } };
}

function randomFilter(random: Random): { text: string; columns: number[] } {
  const chosen = random.chance(0.5)
    ? [random.below(3)]
    : ALL.filter(() => random.chance(0.6)).concat(random.below(3));
  const names = chosen.map((column) =>
    random.pick([COLUMNS[column]!, COLUMNS[column]!.toUpperCase()]),
  );
  // SQLite has a fault for a filter that leaves no column: `a NOT (-{all columns}:b OR c)` returns rows that
  // have c. The engine returns none of them, so these queries are not compared.
  const negated = random.chance(0.25) && new Set(chosen).size < ALL.length;
  const list = names.length === 1 && random.chance(0.8) ? names[0]! : `{${names.join(' ')}}`;
  return {
    text: `${negated ? random.pick(['-', '- ']) : ''}${list}${random.pick([':', ' : '])}`,
    columns: ALL.filter((column) => chosen.includes(column) !== negated),
  };
}

function narrow(node: OracleNode, columns: readonly number[]): void {
  if (node.kind !== 'leaf') {
    for (const child of node.children) narrow(child, columns);
    return;
  }
  for (const phrase of node.phrases)
    phrase.columns = phrase.columns.filter((c) => columns.includes(c));
}

function randomItem(random: Random): { text: string; node: OracleNode & { kind: 'leaf' } } {
  const kind = random.below(10);
  let text: string;
  let phrases: OraclePhrase[];
  let distance = 10;
  if (kind < 2) {
    const made = Array.from({ length: 1 + random.below(4) }, () => randomPhrase(random));
    phrases = made.map(({ phrase }) => phrase).filter(({ terms }) => terms.length > 0);
    if (phrases.length === 0) phrases = [made[0]!.phrase];
    const given = random.chance(0.7);
    if (given) distance = random.below(5);
    text = `NEAR${random.pick(['', ' '])}(${made.map((m) => m.text).join(' ')}${given ? `, ${distance}` : ''})`;
  } else {
    const made = randomPhrase(random);
    phrases = [made.phrase];
    text = made.text;
    if (kind === 2) {
      text = `^${text}`;
      made.phrase.first = true;
    }
  }
  const node = { kind: 'leaf' as const, phrases, distance };
  if (random.chance(0.15)) {
    const filter = randomFilter(random);
    narrow(node, filter.columns);
    text = `${filter.text}${text}`;
  }
  return { text, node };
}

function randomOperand(random: Random, depth: number): RandomQuery {
  if (depth > 0 && random.chance(0.4)) {
    const inner = randomQuery(random, depth - 1);
    if (random.chance(0.7)) return { text: `(${inner.text})`, node: inner.node };
    const filter = randomFilter(random);
    narrow(inner.node, filter.columns);
    return { text: `${filter.text}(${inner.text})`, node: inner.node };
  }
  const items = [randomItem(random)];
  while (random.chance(0.25)) items.push(randomItem(random));
  const nodes = items.map(({ node }) => node);
  const kept = nodes.filter((node) => node.phrases.some(({ terms }) => terms.length > 0));
  const children = kept.length > 0 ? kept : nodes.slice(0, 1);
  const text = items.map((item) => item.text).join(' ');
  return { text, node: children.length === 1 ? children[0]! : { kind: 'and', children } };
}

function randomChain(
  random: Random,
  kind: 'and' | 'or' | 'not',
  operand: () => RandomQuery,
  more: number,
): RandomQuery {
  let { text, node } = operand();
  while (random.chance(more)) {
    const next = operand();
    text += ` ${kind.toUpperCase()} ${next.text}`;
    node = { kind, children: [node, next.node] };
  }
  return { text, node };
}

export function randomQuery(random: Random, depth = 3): RandomQuery {
  const not = () => randomChain(random, 'not', () => randomOperand(random, depth), 0.15);
  const and = () => randomChain(random, 'and', not, 0.2);
  return randomChain(random, 'or', and, 0.25);
}

type Instances = [column: number, offset: number][];
export type OracleDocument = readonly (readonly string[])[];

function instancesOf(phrase: OraclePhrase, document: OracleDocument): Instances {
  const found: Instances = [];
  if (phrase.terms.length === 0) return found;
  for (const column of phrase.columns) {
    const tokens = document[column]!;
    for (let at = 0; at + phrase.terms.length <= tokens.length; at++) {
      const fits = phrase.terms.every(({ term, prefix }, i) =>
        prefix ? tokens[at + i]!.startsWith(term) : tokens[at + i] === term,
      );
      if (fits && (!phrase.first || at === 0)) found.push([column, at]);
    }
  }
  return found;
}

/** FTS5's walk over the position lists, as FTS5-RULES describes it. */
function trimmed(phrases: OraclePhrase[], lists: Instances[], distance: number): Instances[] {
  const flat = lists.map((list) => list.map(([column, at]) => column * 1e9 + at));
  const heads = lists.map(() => 0);
  const kept: number[][] = lists.map(() => []);
  walk: for (;;) {
    let greatest = flat[0]![heads[0]!]!;
    if (greatest === undefined) break;
    for (let again = true; again; ) {
      again = false;
      for (let i = 0; i < flat.length; i++) {
        const least = greatest - phrases[i]!.terms.length - distance;
        if (flat[i]![heads[i]!]! >= least && flat[i]![heads[i]!]! <= greatest) continue;
        again = true;
        while (flat[i]![heads[i]!]! < least) heads[i]!++;
        if (heads[i]! >= flat[i]!.length) break walk;
        greatest = Math.max(greatest, flat[i]![heads[i]!]!);
      }
    }
    for (let i = 0; i < flat.length; i++) {
      const position = flat[i]![heads[i]!]!;
      if (!kept[i]!.includes(position)) kept[i]!.push(position);
    }
    const ahead = flat.map((list, i) => list[heads[i]! + 1] ?? Infinity);
    const soonest = ahead.indexOf(Math.min(...ahead));
    if (ahead[soonest] === Infinity) break;
    heads[soonest]!++;
  }
  return kept.map((list) => list.map((position) => [Math.floor(position / 1e9), position % 1e9]));
}

const phrasesOf = (node: OracleNode): OraclePhrase[] =>
  node.kind === 'leaf' ? node.phrases : node.children.flatMap(phrasesOf);

/** Whether the document matches, and how often each phrase below counts in it. */
function evaluate(node: OracleNode, document: OracleDocument): { ok: boolean; counts: number[] } {
  const none = () => phrasesOf(node).map(() => 0);
  if (node.kind === 'leaf') {
    const lists = node.phrases.map((phrase) => instancesOf(phrase, document));
    if (lists.some((list) => list.length === 0)) return { ok: false, counts: none() };
    const kept = lists.length === 1 ? lists : trimmed(node.phrases, lists, node.distance);
    return { ok: kept[0]!.length > 0, counts: kept.map((list) => list.length) };
  }
  const parts = node.children.map((child) => evaluate(child, document));
  if (node.kind === 'not') {
    const ok = parts[0]!.ok && !parts[1]!.ok;
    return { ok, counts: ok ? [...parts[0]!.counts, ...parts[1]!.counts.map(() => 0)] : none() };
  }
  const oks = parts.map(({ ok }) => ok);
  const ok = node.kind === 'and' ? !oks.includes(false) : oks.includes(true);
  return { ok, counts: ok ? parts.flatMap(({ counts }) => counts) : none() };
}

/** Row to rank, by the clean rule. */
export function oracleSearch(
  node: OracleNode,
  documents: ReadonlyMap<number, OracleDocument>,
): Map<number, number> {
  const lengthOf = (document: OracleDocument) => document.reduce((sum, c) => sum + c.length, 0);
  let tokens = 0;
  for (const document of documents.values()) tokens += lengthOf(document);
  const average = tokens / documents.size;
  const idfs = phrasesOf(node).map((phrase) => {
    let hits = 0;
    for (const document of documents.values()) if (instancesOf(phrase, document).length > 0) hits++;
    const idf = exactLog((documents.size - hits + 0.5) / (hits + 0.5));
    return idf <= 0 ? 1e-6 : idf;
  });
  const ranks = new Map<number, number>();
  for (const [row, document] of documents) {
    const { ok, counts } = evaluate(node, document);
    if (!ok) continue;
    let score = 0;
    counts.forEach((f, i) => {
      score += idfs[i]! * ((f * 2.2) / (f + 1.2 * (0.25 + (0.75 * lengthOf(document)) / average)));
    });
    ranks.set(row, -1 * score);
  }
  return ranks;
}

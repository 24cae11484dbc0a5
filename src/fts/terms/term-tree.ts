/**
 * Builds MiniSearch's radix tree from the alphabetical order of the terms: the same tree as by
 * inserting one term after another, but many times faster, and in short steps.
 */
import SearchableMap from 'minisearch/SearchableMap';

type RadixTree = NonNullable<ConstructorParameters<typeof SearchableMap<number>>[0]>;
/** Children by the next letters. The number of the term that ends at a node is under the empty string. */
type Node = Map<string, Node | number>;

/**
 * The numbers of all terms that are not empty, in the alphabetical order of UTF-16 code units. Sorts the
 * terms of one first letter in each step.
 */
export function* alphabeticalOrder(terms: readonly string[]): Generator<void, Uint32Array> {
  const byLetter = new Map<number, number[]>();
  terms.forEach((term, number) => {
    if (term === '') return;
    const letter = term.charCodeAt(0);
    const numbers = byLetter.get(letter);
    if (numbers === undefined) byLetter.set(letter, [number]);
    else numbers.push(number);
  });
  const order: number[] = [];
  for (const letter of [...byLetter.keys()].sort((a, b) => a - b)) {
    const numbers = byLetter.get(letter) ?? [];
    numbers.sort((a, b) => ((terms[a] ?? '') < (terms[b] ?? '') ? -1 : 1));
    for (const number of numbers) order.push(number);
    yield;
  }
  return Uint32Array.from(order);
}

/**
 * A tree with the number of each term. `order` has the numbers of different terms in alphabetical order.
 * Builds the branch of one first letter in each step.
 */
export function* termTree(
  termOf: (number: number) => string,
  order: Uint32Array,
): Generator<void, SearchableMap<number>> {
  const termAt = (at: number) => termOf(order[at] ?? 0);
  /** The node of the terms from one index of `order` to another, whose first `depth` units are equal. */
  const nodeOf = (from: number, to: number, depth: number): Node => {
    const node: Node = new Map();
    let at = from;
    if (termAt(at).length === depth) node.set('', order[at++] ?? 0);
    while (at < to) at = addBranch(node, at, to, depth);
    return node;
  };
  /** Adds the branch of the terms that continue with the same unit as the term at `from`. Returns its end. */
  const addBranch = (node: Node, from: number, to: number, depth: number): number => {
    const first = termAt(from);
    const unit = first.charCodeAt(depth);
    let end = from + 1;
    while (end < to && termAt(end).charCodeAt(depth) === unit) end++;
    const shared = end === from + 1 ? first.length : sharedLength(first, termAt(end - 1), depth);
    node.set(first.slice(depth, shared), nodeOf(from, end, shared));
    return end;
  };
  const root: Node = new Map();
  for (let at = 0; at < order.length; ) {
    at = addBranch(root, at, order.length, 0);
    yield;
  }
  return new SearchableMap<number>(root as unknown as RadixTree);
}

function sharedLength(a: string, b: string, from: number): number {
  let length = from;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

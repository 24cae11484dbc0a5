/**
 * One query against one segment: which documents match the tree, and which instances of which
 * phrase count towards a document's rank. A phrase counts only where every branch it stands in
 * matches, and never right of NOT (FTS5-RULES, "bm25").
 */

import { type Matcher, matcherOf } from './matcher.js';
import { columnOf, offsetOf, trimToNear } from './near.js';
import { PhraseMatcher } from './phrase-matcher.js';
import type { ResolvedPhrase } from './phrase-terms.js';
import { intersect, intersectAll, subtract, unite } from './posting-lists.js';
import { childrenOf, type NearNode, type QueryNode } from './query-tree.js';
import {
  FREQUENCY_BITS,
  MAX_FREQUENCY,
  NO_POSTINGS,
  type PostingList,
  type Segment,
} from './segment.js';

/** A node with the documents that match it; a leaf has the instances of each of its phrases. */
interface Matched {
  readonly node: QueryNode;
  readonly documents: PostingList;
  readonly children: readonly Matched[];
  readonly phrases: readonly PostingList[];
}

/** What one segment has for a query. */
export interface SegmentMatches {
  readonly documents: PostingList;
  /** One list a phrase, of some of `documents`. */
  readonly counted: readonly PostingList[];
}

/** Runs a piece of work without its pauses. */
export function finished<Value>(work: Generator<void, Value>): Value {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** An instance of a phrase in a document. */
export interface Instance {
  readonly phrase: number;
  readonly column: number;
  readonly offset: number;
  /** In tokens. */
  readonly length: number;
}

/** A query as all segments use it. */
export interface QueryPlan {
  readonly root: QueryNode;
  /** In FTS5's order. */
  readonly phrases: readonly ResolvedPhrase[];
}

export class SegmentQuery {
  readonly segment: Segment;
  readonly #plan: QueryPlan;
  readonly #matchers: Matcher[] = [];
  readonly #hits: PostingList[] = [];

  constructor(segment: Segment, plan: QueryPlan) {
    this.segment = segment;
    this.#plan = plan;
  }

  /** The same query for another segment. */
  forSegment(segment: Segment): SegmentQuery {
    return new SegmentQuery(segment, this.#plan);
  }

  /** The CJK runs that are looked for by their pairs. */
  get runs(): readonly string[] {
    return this.#plan.phrases.flatMap(({ run }) => (run === undefined ? [] : [run]));
  }

  /** Finds the documents of one phrase by itself; all must be found before `match`. */
  findPhrase(phrase: number): number {
    const resolved = this.#plan.phrases[phrase];
    if (resolved === undefined) return 0;
    // Equal phrases are resolved to the same object and searched once.
    const same = this.#plan.phrases.indexOf(resolved);
    if (same < phrase) {
      this.#matchers[phrase] = this.#matchers[same] as Matcher;
      this.#hits[phrase] = this.#hits[same] ?? NO_POSTINGS;
    } else {
      const matcher = matcherOf(this.segment, resolved);
      this.#matchers[phrase] = matcher;
      this.#hits[phrase] = matcher.hits();
    }
    return this.#hits[phrase]?.length ?? 0;
  }

  /**
   * The documents that match, and for each phrase of the query those in which it counts.
   * Yields after every leaf of the tree, because a NEAR may take a while.
   */
  *match(accepts?: (slot: number) => boolean): Generator<void, SegmentMatches> {
    const matched = yield* this.#match(this.#plan.root, { next: 0 });
    const documents = accepts ? filtered(matched.documents, accepts) : matched.documents;
    const counted: PostingList[] = [];
    collect(matched, documents, counted);
    return { documents, counted };
  }

  /** The exact frequency behind an entry that was cut at MAX_FREQUENCY. */
  recount(phrase: number, slot: number): number {
    return this.#matchers[phrase]?.count(slot) ?? 0;
  }

  /** Every instance that counts in one document, by column, offset and phrase. */
  instances(slot: number): Instance[] {
    const { root } = this.#plan;
    // A single word or phrase, most of what is typed, counts wherever it stands.
    if (root.kind === 'near' && root.phrases.length === 1) return this.#allInstances(slot);
    this.#plan.phrases.forEach((phrase, i) => {
      const matcher = this.#matchers[i] ?? matcherOf(this.segment, phrase);
      this.#matchers[i] = matcher;
      const frequency = Math.min(matcher.countIn(slot), MAX_FREQUENCY);
      this.#hits[i] = listOf(slot, frequency);
    });
    const { counted } = finished(this.match());
    const near = nearOfPhrases(root);
    const found = counted.flatMap((list, phrase) =>
      list.length === 0 ? [] : this.#instancesOf(phrase, slot, near[phrase] as NearOfPhrase),
    );
    return found.sort((a, b) => a.column - b.column || a.offset - b.offset || a.phrase - b.phrase);
  }

  #allInstances(slot: number): Instance[] {
    const [phrase] = this.#plan.phrases;
    if (phrase === undefined) return [];
    const matcher = this.#matchers[0] ?? matcherOf(this.segment, phrase);
    this.#matchers[0] = matcher;
    const { length } = matcher;
    return matcher.positions(slot).map((position) => ({
      phrase: 0,
      column: columnOf(position),
      offset: offsetOf(position),
      length,
    }));
  }

  #instancesOf(phrase: number, slot: number, { node, first }: NearOfPhrase): Instance[] {
    const all = node.phrases.map((_, i) => this.#positions(first + i, slot));
    const kept =
      all.length === 1 ? all : trimToNear(all, this.#lengths(first, node), node.distance);
    return (kept[phrase - first] ?? []).map((position) => {
      const length = this.#matchers[phrase]?.length ?? 0;
      return { phrase, column: columnOf(position), offset: offsetOf(position), length };
    });
  }

  *#match(node: QueryNode, numbering: { next: number }): Generator<void, Matched> {
    if (node.kind === 'near') {
      yield;
      return this.#matchLeaf(node, numbering);
    }
    const children: Matched[] = [];
    for (const child of childrenOf(node)) children.push(yield* this.#match(child, numbering));
    return { node, documents: combine(node.kind, children), children, phrases: [] };
  }

  #matchLeaf(node: NearNode, numbering: { next: number }): Matched {
    const first = numbering.next;
    numbering.next += node.phrases.length;
    const lists = node.phrases.map((_, i) => this.#hits[first + i] ?? NO_POSTINGS);
    const [only = NO_POSTINGS] = lists;
    if (lists.length === 1) return { node, documents: only, children: [], phrases: lists };
    const phrases = this.#near(node, first, this.#nearCandidates(node, first, lists));
    return { node, documents: phrases[0] ?? NO_POSTINGS, children: [], phrases };
  }

  #nearCandidates(node: NearNode, first: number, lists: readonly PostingList[]): PostingList {
    const [one, other] = [this.#matchers[first], this.#matchers[first + 1]];
    // Two plain words, one token long each; the same object for `NEAR(a a)`.
    const isPair = one instanceof PhraseMatcher && other instanceof PhraseMatcher && one !== other;
    const isOfMany = lists.every(({ length }) => length > 1); // a snippet asks of one document
    const met = isPair && isOfMany ? one.meetings(other, node.distance + 1) : undefined;
    return intersectAll(met === undefined ? lists : [met, ...lists.slice(2)]);
  }

  #near(node: NearNode, first: number, candidates: PostingList): PostingList[] {
    const lengths = this.#lengths(first, node);
    const kept = node.phrases.map(() => new Uint32Array(candidates.length));
    let length = 0;
    for (let i = 0; i < candidates.length; i++) {
      const slot = (candidates.packed[i] ?? 0) >>> FREQUENCY_BITS;
      const positions = node.phrases.map((_, p) => this.#positions(first + p, slot));
      const trimmed = trimToNear(positions, lengths, node.distance);
      if (trimmed[0]?.length === 0) continue;
      trimmed.forEach((list, p) => {
        const packed = kept[p] as Uint32Array;
        packed[length] = (slot << FREQUENCY_BITS) | Math.min(list.length, MAX_FREQUENCY);
      });
      length++;
    }
    return kept.map((packed) => ({ packed, length }));
  }

  #lengths(first: number, node: NearNode): number[] {
    return node.phrases.map((_, i) => this.#matchers[first + i]?.length ?? 0);
  }

  #positions(phrase: number, slot: number): number[] {
    return this.#matchers[phrase]?.positions(slot) ?? [];
  }
}

function listOf(slot: number, frequency: number): PostingList {
  if (frequency === 0) return NO_POSTINGS;
  return { packed: Uint32Array.of((slot << FREQUENCY_BITS) | frequency), length: 1 };
}

function filtered(list: PostingList, accepts: (slot: number) => boolean): PostingList {
  const packed = new Uint32Array(list.length);
  let length = 0;
  for (let i = 0; i < list.length; i++) {
    const entry = list.packed[i] ?? 0;
    if (accepts(entry >>> FREQUENCY_BITS)) packed[length++] = entry;
  }
  return { packed, length };
}

function combine(kind: 'and' | 'or' | 'not', children: readonly Matched[]): PostingList {
  const lists = children.map(({ documents }) => documents);
  if (kind === 'or') return unite(lists);
  if (kind === 'and') return intersectAll(lists);
  return subtract(lists[0] ?? NO_POSTINGS, lists[1] ?? NO_POSTINGS);
}

/** Appends the counting documents of each phrase below `matched`, given those allowed by its parents. */
function collect(matched: Matched, allowed: PostingList, counted: PostingList[]): void {
  const { node, documents, children } = matched;
  if (node.kind === 'near') {
    for (const list of matched.phrases)
      counted.push(allowed === documents ? list : intersect(list, allowed));
    return;
  }
  children.forEach((child, i) => {
    if (node.kind === 'not' && i === 1) collect(child, NO_POSTINGS, counted);
    else if (node.kind === 'or')
      collect(
        child,
        allowed === documents ? child.documents : intersect(child.documents, allowed),
        counted,
      );
    else collect(child, allowed, counted);
  });
}

interface NearOfPhrase {
  readonly node: NearNode;
  /** Number of the node's first phrase. */
  readonly first: number;
}

/** For each phrase of the tree, the leaf it stands in. */
function nearOfPhrases(root: QueryNode): NearOfPhrase[] {
  const found: NearOfPhrase[] = [];
  const visit = (node: QueryNode) => {
    const first = found.length;
    if (node.kind === 'near') for (const _ of node.phrases) found.push({ node, first });
    else childrenOf(node).forEach(visit);
  };
  visit(root);
  return found;
}

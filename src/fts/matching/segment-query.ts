/**
 * One query on one segment: the documents that match, the documents in which each phrase counts for
 * the rank, and the instances of the phrases in one document, for snippets.
 */
import { runToCompletion } from '../../base/async/time-slice.js';
import { childrenOf, type NearNode, type QueryNode } from '../query/tree.js';
import { intersectAll, slotAt } from '../segments/posting-lists.js';
import {
  DETAIL_BITS,
  frequencyOf,
  lengthIn,
  MAX_FREQUENCY,
  MAX_LENGTH,
  NO_POSTINGS,
  type PostingList,
  posting,
  type Segment,
} from '../segments/segment.js';
import {
  combine,
  countedPostings,
  filterPostings,
  leavesByPhrase,
  type MatchedNode,
  type NumberedLeaf,
} from './match-tree.js';
import type { Matcher } from './matcher.js';
import { columnOf, NearWalk, offsetOf, PositionList } from './near.js';
import { PhraseMatcher } from './phrase-matcher.js';
import type { ResolvedPhrase } from './phrase-terms.js';
import { SymbolMatcher } from './symbol-matcher.js';

/** What one segment contributes to a query. */
export interface SegmentMatches {
  /** Deleted ones too. */
  readonly documents: PostingList;
  /** For each phrase, those of `documents` in which it counts. */
  readonly counted: readonly PostingList[];
}

/** An instance of a phrase in a document. */
export interface PhraseInstance {
  /** Number of the phrase in the query; the last one, if equal phrases have this instance. */
  readonly phrase: number;
  /** How many equal phrases of the query have this instance. */
  readonly weight: number;
  readonly column: number;
  /** In tokens of the column. */
  readonly offset: number;
  /** In tokens. */
  readonly length: number;
}

/** A query whose terms are looked up. All segments share it. */
export interface ExecutionPlan {
  readonly root: QueryNode;
  /** In FTS5's order. Equal phrases are the same object. */
  readonly phrases: readonly ResolvedPhrase[];
  /** How the phrases are joined, if the tree has no other nodes. One phrase alone is `or`. */
  readonly kind: 'and' | 'or' | 'not' | undefined;
}

/**
 * Instances of one document that snippets and highlights look at, divided evenly among the different
 * phrases. A query that repeats its words would otherwise make any number of them.
 */
const MAX_INSTANCES = 2 ** 16;

const byPosition = (a: PhraseInstance, b: PhraseInstance) =>
  a.column - b.column || a.offset - b.offset || a.phrase - b.phrase;

export class SegmentQuery {
  readonly segment: Segment;
  readonly plan: ExecutionPlan;
  /** By the number of the first of equal phrases. */
  readonly #matchers: Matcher[] = [];
  /** By the number of the first phrase of the NEAR. */
  readonly #walks: NearWalk[] = [];
  /** The documents of each phrase found so far, deleted ones too. */
  readonly hits: PostingList[] = [];

  constructor(segment: Segment, plan: ExecutionPlan) {
    this.segment = segment;
    this.plan = plan;
  }

  /** The same query for another segment. */
  forSegment(segment: Segment): SegmentQuery {
    return new SegmentQuery(segment, this.plan);
  }

  /** The CJK runs that are searched by their bigrams. */
  get cjkRuns(): readonly string[] {
    return this.plan.phrases.flatMap(({ cjkRun }) => (cjkRun === undefined ? [] : [cjkRun]));
  }

  /** Finds the documents of the next phrase. Call it for each phrase before `match`. */
  findPhrase(): void {
    const phrase = this.hits.length;
    const resolved = this.plan.phrases[phrase] as ResolvedPhrase;
    this.hits.push(this.hits[resolved.number] ?? this.#matcher(phrase).hits());
  }

  /** Whether a phrase is one word that counts in every document of this segment that contains it. */
  isWord(phrase: number): boolean {
    const matcher = this.#matcher(phrase);
    return matcher instanceof PhraseMatcher && matcher.isWord && !matcher.hasZeros;
  }

  /**
   * The documents that match, given those of each phrase. Pauses after every leaf of the tree, because a NEAR
   * may take a while.
   */
  *match(
    accepts?: (slot: number) => boolean,
    hits: readonly PostingList[] = this.hits,
  ): Generator<void, SegmentMatches> {
    const matched = yield* this.#matchNode(this.plan.root, hits, { next: 0 });
    const documents = accepts ? filterPostings(matched.documents, accepts) : matched.documents;
    return { documents, counted: countedPostings(matched, documents) };
  }

  /** The frequency of a phrase in the document of an entry of its list. */
  frequency(phrase: number, entry: number): number {
    const stored = frequencyOf(entry);
    return stored < MAX_FREQUENCY ? stored : this.#matcher(phrase).count(entry >>> DETAIL_BITS);
  }

  /** The length of the document of an entry. */
  lengthOf(entry: number): number {
    const length = lengthIn(entry);
    return length < MAX_LENGTH ? length : (this.segment.lengths[entry >>> DETAIL_BITS] ?? 0);
  }

  /** The instances that count in one document, by column, offset and phrase. At most MAX_INSTANCES. */
  instances(slot: number): PhraseInstance[] {
    const groups = this.#instanceGroups(slot);
    const limit = Math.floor(MAX_INSTANCES / Math.max(1, groups.length));
    const found: PhraseInstance[] = [];
    for (const { leaf, phrase, weight } of groups) {
      const { length } = this.#matcher(phrase);
      const positions = this.#keptPositions(leaf, phrase, slot);
      const count = Math.min(positions.length, limit);
      for (let i = 0; i < count; i++) {
        const position = positions.array[i] ?? 0;
        const [column, offset] = [columnOf(position), offsetOf(position)];
        found.push({ phrase, weight, column, offset, length });
      }
    }
    return groups.length < 2 ? found : found.sort(byPosition);
  }

  /** The phrases that count in a document. Equal phrases are one group if they are not in a NEAR of several. */
  #instanceGroups(slot: number): InstanceGroup[] {
    const { root, phrases } = this.plan;
    if (root.kind === 'near' && root.phrases.length === 1)
      return [{ leaf: { node: root, firstPhrase: 0 }, phrase: 0, weight: 1 }];
    const { counted } = this.#matchDocument(slot);
    const groups = new Map<ResolvedPhrase | number, InstanceGroup>();
    leavesByPhrase(root).forEach((leaf, phrase) => {
      if (counted[phrase]?.length === 0) return;
      const isAlone = leaf.node.phrases.length === 1;
      const key = isAlone ? (phrases[phrase] as ResolvedPhrase) : phrase;
      const weight = (groups.get(key)?.weight ?? 0) + 1;
      groups.set(key, { leaf, phrase, weight });
    });
    return [...groups.values()];
  }

  /** `match` for a single document. */
  #matchDocument(slot: number): SegmentMatches {
    const hits = new Map<ResolvedPhrase, PostingList>();
    for (const phrase of new Set(this.plan.phrases)) {
      const frequency = this.#matcher(phrase.number).count(slot);
      const packed = Uint32Array.of(posting(slot, frequency, this.segment.lengths[slot] ?? 0));
      hits.set(phrase, frequency === 0 ? NO_POSTINGS : { packed, length: 1 });
    }
    const lists = this.plan.phrases.map((phrase) => hits.get(phrase) ?? NO_POSTINGS);
    return runToCompletion(this.match(undefined, lists));
  }

  #keptPositions({ node, firstPhrase }: NumberedLeaf, phrase: number, slot: number): PositionList {
    if (node.phrases.length === 1) {
      const positions = new PositionList();
      this.#matcher(phrase).addPositions(slot, positions);
      return positions;
    }
    const walk = this.#walkOf(node, firstPhrase);
    walk.meets(slot);
    return walk.kept(phrase - firstPhrase);
  }

  *#matchNode(
    node: QueryNode,
    hits: readonly PostingList[],
    numbering: { next: number },
  ): Generator<void, MatchedNode> {
    if (node.kind === 'near') {
      yield;
      const firstPhrase = numbering.next;
      numbering.next += node.phrases.length;
      return this.#matchLeaf(node, firstPhrase, hits.slice(firstPhrase, numbering.next));
    }
    const children: MatchedNode[] = [];
    for (const child of childrenOf(node))
      children.push(yield* this.#matchNode(child, hits, numbering));
    return combine(node, children);
  }

  #matchLeaf(node: NearNode, firstPhrase: number, lists: readonly PostingList[]): MatchedNode {
    const [only = NO_POSTINGS] = lists;
    // One phrase, or equal ones: each instance is at the place of the others.
    if (lists.every((list) => list === only))
      return { node, documents: only, children: [], phrases: lists, supersetList: only };
    const pair = this.#nearPair(node, firstPhrase, lists);
    const candidates = intersectAll(pair === undefined ? lists : [pair[0], ...lists.slice(2)]);
    const isWhole = pair !== undefined && lists.length === 2;
    const phrases = isWhole ? pair : this.#near(node, firstPhrase, candidates);
    return { node, documents: phrases[0] ?? NO_POSTINGS, children: [], phrases };
  }

  /** The instances that meet the NEAR of the first two phrases, if both are words with positions. */
  #nearPair({ distance }: NearNode, firstPhrase: number, lists: readonly PostingList[]) {
    const [a, b] = [this.#matcher(firstPhrase), this.#matcher(firstPhrase + 1)];
    const isPair = a instanceof PhraseMatcher && b instanceof PhraseMatcher && a !== b;
    const isManyDocuments = lists.every(({ length }) => length > 1);
    return isPair && isManyDocuments ? a.near(b, distance) : undefined;
  }

  #near(node: NearNode, firstPhrase: number, candidates: PostingList): PostingList[] {
    const walk = this.#walkOf(node, firstPhrase);
    const kept = node.phrases.map(() => new Uint32Array(candidates.length));
    let length = 0;
    for (let i = 0; i < candidates.length; i++) {
      const slot = slotAt(candidates, i);
      if (!walk.meets(slot)) continue;
      for (let phrase = 0; phrase < kept.length; phrase++) {
        const frequency = walk.kept(phrase).length;
        const tokens = this.segment.lengths[slot] ?? 0;
        (kept[phrase] as Uint32Array)[length] = posting(slot, frequency, tokens);
      }
      length++;
    }
    return kept.map((packed) => ({ packed, length }));
  }

  #walkOf({ phrases, distance }: NearNode, firstPhrase: number): NearWalk {
    const matchers = phrases.map((_, i) => this.#matcher(firstPhrase + i));
    this.#walks[firstPhrase] ??= new NearWalk(matchers, distance);
    return this.#walks[firstPhrase];
  }

  #matcher(phrase: number): Matcher {
    const resolved = this.plan.phrases[phrase] as ResolvedPhrase;
    const Kind = resolved.symbols.length === 0 ? PhraseMatcher : SymbolMatcher;
    this.#matchers[resolved.number] ??= new Kind(this.segment, resolved);
    return this.#matchers[resolved.number] as Matcher;
  }
}

/** Phrases of a query that have the same instances in a document. */
interface InstanceGroup {
  readonly leaf: NumberedLeaf;
  /** The last of them. */
  readonly phrase: number;
  readonly weight: number;
}

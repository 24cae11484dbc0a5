/**
 * Walks the position lists of two terms of a frozen segment side by side: for phrases of plain words,
 * and for the candidates of NEAR. Both lists are read in order; reading the documents' tokens
 * instead would miss the processor's cache at every instance.
 */
import { seek } from '../segments/posting-lists.js';
import {
  FREQUENCY_BITS,
  MAX_FREQUENCY,
  type PositionIndex,
  type PostingList,
  type Segment,
} from '../segments/segment.js';

/** One plain word of a segment: its postings and the index of its first one in the position index. */
export interface WordPostings {
  readonly list: PostingList;
  readonly firstPosting: number;
}

/**
 * Calls `visit` for each live document that contains both words, with the first and the end of the
 * positions of each. Plain numbers, because an object per document would cost more than the visit.
 */
function forEachShared(
  segment: Segment,
  { starts }: PositionIndex,
  rare: WordPostings,
  common: WordPostings,
  visit: (slot: number, from: number, to: number, otherFrom: number, otherTo: number) => void,
): void {
  let at = 0;
  for (let i = 0; i < rare.list.length; i++) {
    const entry = rare.list.packed[i] ?? 0;
    const slot = entry >>> FREQUENCY_BITS;
    at = seek(common.list, slot, at);
    if (at === common.list.length) return;
    const other = common.list.packed[at] ?? 0;
    if (other >>> FREQUENCY_BITS !== slot || segment.dead[slot] === 1) continue;
    const from = starts[rare.firstPosting + i] ?? 0;
    const otherFrom = starts[common.firstPosting + at] ?? 0;
    const to = from + (entry & MAX_FREQUENCY);
    visit(slot, from, to, otherFrom, otherFrom + (other & MAX_FREQUENCY));
  }
}

/**
 * The documents in which `b` stands `distance` tokens after `a` (before it, if negative) at least once,
 * with the number of those instances that `isInstance` accepts, given the position of `a`.
 */
export function adjacentPostings(
  segment: Segment,
  index: PositionIndex,
  [a, b]: readonly [WordPostings, WordPostings],
  distance: number,
  isInstance: (slot: number, position: number) => boolean,
): PostingList {
  const { positions } = index;
  const packed = new Uint32Array(a.list.length);
  let length = 0;
  forEachShared(segment, index, a, b, (slot, from, to, otherFrom, otherTo) => {
    let count = 0;
    let next = otherFrom;
    for (let at = from; at < to; at++) {
      const wanted = (positions[at] ?? 0) + distance;
      while (next < otherTo && (positions[next] ?? 0) < wanted) next++;
      if (next === otherTo) break;
      if (positions[next] === wanted && isInstance(slot, wanted - distance)) count++;
    }
    if (count > 0) packed[length++] = (slot << FREQUENCY_BITS) | count;
  });
  return { packed, length };
}

/**
 * The documents in which the two words stand at most `distance` tokens apart, columns ignored: a
 * superset of what a NEAR of the two matches.
 */
export function proximityCandidates(
  segment: Segment,
  index: PositionIndex,
  [a, b]: readonly [WordPostings, WordPostings],
  distance: number,
): PostingList {
  const { positions } = index;
  const [rare, common] = a.list.length <= b.list.length ? [a, b] : [b, a];
  const packed = new Uint32Array(rare.list.length);
  let length = 0;
  forEachShared(segment, index, rare, common, (slot, from, to, otherFrom, otherTo) => {
    for (let i = from, j = otherFrom; i < to && j < otherTo; ) {
      const gap = (positions[j] ?? 0) - (positions[i] ?? 0);
      if (gap > distance) i++;
      else if (-gap > distance) j++;
      else {
        packed[length++] = (slot << FREQUENCY_BITS) | (to - from);
        return;
      }
    }
  });
  return { packed, length };
}

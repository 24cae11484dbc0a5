/**
 * Reads the position lists of two terms of a frozen segment in parallel: for phrases of plain words, and for
 * NEAR of two words. Both lists are read in order, which is fast. To read the tokens of the documents instead
 * would be slow, because each instance would be a miss in the processor's cache.
 */
import { GALLOP_RATIO, seek, slotAt } from '../segments/posting-lists.js';
import {
  columnTokens,
  DETAIL_BITS,
  lengthIn,
  MAX_SLOTS,
  type PositionIndex,
  type PostingList,
  posting,
  type Segment,
  tokensBefore,
} from '../segments/segment.js';

/** One plain word of a segment: its postings and the index of its first one in the position index. */
export interface WordPostings {
  readonly list: PostingList;
  readonly firstPosting: number;
}

/** By slot, 1 more than the index of its posting in the longer list. All 0 between two uses. */
const indexes = new Uint32Array(MAX_SLOTS);

/**
 * The documents that both lists have. `packed` has two numbers for each of them: the indexes of its posting
 * in `rare` and in `common`. `length` is the count of these numbers.
 */
function sharedPostings(rare: PostingList, common: PostingList): PostingList {
  const packed = new Uint32Array(2 * rare.length);
  let length = 0;
  if (rare.length * GALLOP_RATIO < common.length) {
    for (let i = 0, at = 0; i < rare.length; i++) {
      const slot = slotAt(rare, i);
      at = seek(common, slot, at);
      if (at === common.length) break;
      if (slotAt(common, at) !== slot) continue;
      packed[length++] = i;
      packed[length++] = at;
    }
    return { packed, length };
  }
  for (let i = 0; i < common.length; i++) indexes[slotAt(common, i)] = i + 1;
  // No branch depends on the data, because the processor could not predict it (as in posting-lists.ts).
  for (let i = 0; i < rare.length; i++) {
    const at = indexes[slotAt(rare, i)] as number;
    packed[length] = i;
    packed[length + 1] = at - 1;
    length += 2 * Math.min(at, 1);
  }
  indexes.fill(0, 0, slotAt(common, common.length - 1) + 1);
  return { packed, length };
}

/**
 * Calls `visit` for each live document that contains both words, with its posting, and with the start and the
 * end of the positions of each word. They are plain numbers, because an object for each document would cost
 * more than the visit.
 */
function forEachShared(
  segment: Segment,
  { starts }: PositionIndex,
  rare: WordPostings,
  common: WordPostings,
  visit: (entry: number, from: number, to: number, otherFrom: number, otherTo: number) => void,
): void {
  const { packed: shared, length } = sharedPostings(rare.list, common.list);
  for (let i = 0; i < length; i += 2) {
    const at = shared[i] as number;
    const entry = rare.list.packed[at] as number;
    if (segment.dead[entry >>> DETAIL_BITS] === 1) continue;
    const own = rare.firstPosting + at;
    const other = common.firstPosting + (shared[i + 1] as number);
    visit(
      entry,
      starts[own] ?? 0,
      starts[own + 1] ?? 0,
      starts[other] ?? 0,
      starts[other + 1] ?? 0,
    );
  }
}

/**
 * The documents in which `b` is `distance` tokens after `a` (before it, if negative) at least once,
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
  forEachShared(segment, index, a, b, (entry, from, to, otherFrom, otherTo) => {
    const slot = entry >>> DETAIL_BITS;
    let count = 0;
    let next = otherFrom;
    for (let at = from; at < to; at++) {
      const wanted = (positions[at] ?? 0) + distance;
      while (next < otherTo && (positions[next] ?? 0) < wanted) next++;
      if (next === otherTo) break;
      if (positions[next] === wanted && isInstance(slot, wanted - distance)) count++;
    }
    if (count > 0) packed[length++] = posting(slot, count, lengthIn(entry));
  });
  return { packed, length };
}

/**
 * The documents in which two words are within a NEAR of the two, with the number of such instances of
 * each word. `reach` is the greatest difference of their positions. The same walk as in near.ts, without
 * a copy of the positions: most of the time of a NEAR is spent here.
 */
export function nearPostings(
  segment: Segment,
  index: PositionIndex,
  [a, b]: readonly [WordPostings, WordPostings],
  columns: readonly number[],
  reach: number,
): [PostingList, PostingList] {
  const { positions } = index;
  const isSwapped = a.list.length > b.list.length;
  const [rare, common] = isSwapped ? [b, a] : [a, b];
  const found = [new Uint32Array(rare.list.length), new Uint32Array(rare.list.length)] as const;
  let length = 0;
  const endOf = (from: number, to: number, bound: number) => {
    let end = from;
    while (end < to && (positions[end] as number) < bound) end++;
    return end;
  };
  forEachShared(segment, index, rare, common, (entry, from, to, otherFrom, otherTo) => {
    const slot = entry >>> DETAIL_BITS;
    const document = tokensBefore(segment, slot);
    // Plain assignments, not of pairs: until this code is optimized, each pair is an allocation.
    let i = isSwapped ? otherFrom : from;
    let j = isSwapped ? from : otherFrom;
    const lastI = isSwapped ? otherTo : to;
    const lastJ = isSwapped ? to : otherTo;
    let first = 0;
    let second = 0;
    for (const column of columns) {
      const bound = columnTokens(segment, slot, column).to - document;
      const endI = endOf(i, lastI, bound);
      const endJ = endOf(j, lastJ, bound);
      let keptI = -1;
      let keptJ = -1;
      while (i < endI && j < endJ) {
        const x = positions[i] as number;
        const y = positions[j] as number;
        if (x < y - reach) i++;
        else if (y < x - reach) j++;
        else {
          if (i !== keptI) first++;
          if (j !== keptJ) second++;
          keptI = i;
          keptJ = j;
          const nextX = i + 1 < endI ? (positions[i + 1] as number) : Infinity;
          const nextY = j + 1 < endJ ? (positions[j + 1] as number) : Infinity;
          if (nextY < nextX) j++;
          else i++;
        }
      }
      i = endI;
      j = endJ;
    }
    if (first === 0) return;
    found[0][length] = posting(slot, first, lengthIn(entry));
    found[1][length++] = posting(slot, second, lengthIn(entry));
  });
  return [
    { packed: found[0], length },
    { packed: found[1], length },
  ];
}

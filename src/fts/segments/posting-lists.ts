/**
 * Intersection, difference and union of posting lists by document. An intersection has entries of one of the
 * lists (the comments say which), and a union the sums of the frequencies. If the lengths differ much, galloping
 * (exponential) search in the longer list is used, so that the time depends on the shorter one.
 */
import {
  DETAIL_BITS,
  frequencyOf,
  LENGTH_BITS,
  lengthIn,
  MAX_LENGTH,
  MAX_SLOTS,
  NO_POSTINGS,
  type PostingList,
  posting,
  type Segment,
} from './segment.js';

/** From this ratio of lengths on, galloping is faster than walking. */
export const GALLOP_RATIO = 12;
/** Seeking a slot in a list costs about as much as looking at so many entries. */
const SEEK_COST = 8;

export const slotAt = (list: PostingList, at: number) => (list.packed[at] ?? 0) >>> DETAIL_BITS;

/** The first index from `from` on whose slot is at least `slot`. */
export function seek(list: PostingList, slot: number, from: number): number {
  let step = 1;
  let high = from;
  let low = from;
  while (high < list.length && slotAt(list, high) < slot) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  if (high > list.length) high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (slotAt(list, middle) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Inserts into an ascending list. */
export function insertSorted(list: number[], value: number): void {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, value);
}

/** The number of documents of `list` that are not deleted. */
export function countLive({ dead, deadSlots }: Segment, list: PostingList): number {
  let count = list.length;
  if (deadSlots.length * SEEK_COST < list.length) {
    let at = 0;
    for (const slot of deadSlots) {
      at = seek(list, slot, at);
      if (at < list.length && slotAt(list, at) === slot) count--;
    }
  } else if (deadSlots.length > 0)
    for (let i = 0; i < list.length; i++) count -= dead[slotAt(list, i)] as number;
  return count;
}

/** All 0 between two uses. */
const marks = new Uint8Array(MAX_SLOTS);
/** What is found, before `found` copies it: one array of the right length costs less than one of the greatest. */
const buffer = new Uint32Array(MAX_SLOTS);
const found = (length: number): PostingList => ({ packed: buffer.slice(0, length), length });

function select(a: PostingList, b: PostingList, wanted: boolean): PostingList {
  return b.length > a.length * GALLOP_RATIO ? gallop(a, b, a, wanted) : selectByMarks(a, b, wanted);
}

/** The entries of `source`, which is `a` or `b`, for the documents of the short `a` that are in `b`, or are not. */
function gallop(a: PostingList, b: PostingList, source: PostingList, wanted: boolean): PostingList {
  let length = 0;
  let at = 0;
  for (let i = 0; i < a.length; i++) {
    const slot = slotAt(a, i);
    at = seek(b, slot, at);
    const isFound = at < b.length && slotAt(b, at) === slot;
    if (isFound === wanted) buffer[length++] = source.packed[source === a ? i : at] ?? 0;
  }
  return found(length);
}

/** Has no branch that depends on the data: a mispredicted branch costs more than ten steps. */
function selectByMarks(a: PostingList, b: PostingList, wanted: boolean): PostingList {
  const unmarked = wanted ? 0 : 1;
  let length = 0;
  for (let i = 0; i < b.length; i++) marks[(b.packed[i] ?? 0) >>> DETAIL_BITS] = 1;
  for (let i = 0; i < a.length; i++) {
    const entry = a.packed[i] ?? 0;
    buffer[length] = entry;
    length += (marks[entry >>> DETAIL_BITS] ?? 0) ^ unmarked;
  }
  marks.fill(0, 0, slotAt(b, b.length - 1) + 1);
  return found(length);
}

/** The entries of `a` whose document is in `b`. */
export function intersect(a: PostingList, b: PostingList): PostingList {
  if (a.length === 0 || b.length === 0) return NO_POSTINGS;
  return a.length > b.length * GALLOP_RATIO ? gallop(b, a, a, true) : select(a, b, true);
}

/** The entries of `a` whose document is not in `b`. */
export function subtract(a: PostingList, b: PostingList): PostingList {
  return b.length === 0 ? a : select(a, b, false);
}

/** By slot: the sum of the frequencies and the length, packed as in a posting. All 0 between two unions. */
const sums = new Uint32Array(MAX_SLOTS);
/**
 * A greater sum is reduced to this one, so that adding a frequency does not exceed 32 bits. Its length is
 * MAX_LENGTH.
 */
const MAX_SUM = 2 ** 31 - 1;
/** One bit for each slot that has a sum. All 0 between two unions. */
const bits = new Uint32Array(MAX_SLOTS / 32);

/** Adds the entries from one index to another to the union that `takeUnion` returns. */
export function addToUnion(packed: Uint32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const entry = packed[i] as number;
    const slot = entry >>> DETAIL_BITS;
    const sum = Math.min(sums[slot] as number, MAX_SUM);
    sums[slot] = (sum + (frequencyOf(entry) << LENGTH_BITS)) | lengthIn(entry);
    bits[slot >>> 5] = (bits[slot >>> 5] as number) | (1 << (slot & 31));
  }
}

/** The documents of all entries that were added. The frequencies of a document are added. */
export function takeUnion(): PostingList {
  let length = 0;
  for (let at = 0; at < bits.length; at++) {
    for (let word = bits[at] as number; word !== 0; word &= word - 1) {
      const slot = 32 * at + 31 - Math.clz32(word & -word);
      const sum = sums[slot] as number;
      buffer[length++] = posting(slot, sum >>> LENGTH_BITS, sum & MAX_LENGTH);
      sums[slot] = 0;
    }
    bits[at] = 0;
  }
  return found(length);
}

/** The documents in any of `lists`. The frequencies of a document are added. */
export function unite(lists: readonly PostingList[]): PostingList {
  const filled = lists.filter((list) => list.length > 0);
  const [only] = filled;
  if (only !== undefined && filled.length === 1) return only;
  for (const { packed, length } of filled) addToUnion(packed, 0, length);
  return takeUnion();
}

/** Counts the entries whose document is not deleted and is also in an earlier list. */
export function countRepeats(lists: readonly PostingList[], segment: Segment): number {
  let count = 0;
  for (const { packed, length } of lists) {
    for (let i = 0; i < length; i++) {
      const slot = (packed[i] ?? 0) >>> DETAIL_BITS;
      count += (marks[slot] as number) * (1 - (segment.dead[slot] as number));
      marks[slot] = 1;
    }
  }
  marks.fill(0);
  return count;
}

/** The documents in all of `lists`, with the entries of the shortest. `lists` has at least one. */
export function intersectAll(lists: readonly PostingList[]): PostingList {
  const [shortest = NO_POSTINGS, ...rest] = [...lists].sort((a, b) => a.length - b.length);
  return rest.reduce(intersect, shortest);
}

/**
 * Intersection, difference and union of posting lists by document. A result has the entries of the first
 * operand, with their frequencies. If the lengths differ much, the search in the longer list gallops,
 * so that a rare word beside a common one costs what the rare one costs.
 */
import { FREQUENCY_BITS, MAX_SLOTS, NO_POSTINGS, type PostingList } from './segment.js';

/** Shorter lists are merged; for longer ones marks are faster, which cost the same for every length. */
const MERGED_UNION = 1024;
/** From this ratio of lengths on, galloping is faster than walking. */
export const GALLOP_RATIO = 12;

const slotAt = (list: PostingList, at: number) => (list.packed[at] ?? 0) >>> FREQUENCY_BITS;

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

/** The entries of `list` that are in none of a few `slots`, which are ascending: `list` itself if that is all. */
export function withoutSlots(list: PostingList, slots: readonly number[]): PostingList {
  let packed: Uint32Array | undefined;
  let length = 0;
  let from = 0;
  let at = 0;
  const copyTo = (end: number) => {
    packed ??= new Uint32Array(list.length);
    packed.set(list.packed.subarray(from, end), length);
    length += end - from;
  };
  for (const slot of slots) {
    at = seek(list, slot, at);
    if (at === list.length) break;
    if (slotAt(list, at) !== slot) continue;
    copyTo(at);
    from = at + 1;
  }
  if (packed === undefined) return list;
  copyTo(list.length);
  return { packed, length };
}

/** All 0 between two uses. */
const marks = new Uint8Array(MAX_SLOTS);

function select(a: PostingList, b: PostingList, wanted: boolean): PostingList {
  return b.length > a.length * GALLOP_RATIO
    ? selectByGalloping(a, b, wanted)
    : selectByMarks(a, b, wanted);
}

function selectByGalloping(a: PostingList, b: PostingList, wanted: boolean): PostingList {
  const packed = new Uint32Array(a.length);
  let length = 0;
  let at = 0;
  for (let i = 0; i < a.length; i++) {
    const entry = a.packed[i] ?? 0;
    const slot = entry >>> FREQUENCY_BITS;
    at = seek(b, slot, at);
    if ((at < b.length && slotAt(b, at) === slot) === wanted) packed[length++] = entry;
  }
  return { packed, length };
}

/** Has no branch that depends on the data: a mispredicted branch costs more than ten steps. */
function selectByMarks(a: PostingList, b: PostingList, wanted: boolean): PostingList {
  const packed = new Uint32Array(a.length);
  const unmarked = wanted ? 0 : 1;
  let length = 0;
  for (let i = 0; i < b.length; i++) marks[(b.packed[i] ?? 0) >>> FREQUENCY_BITS] = 1;
  for (let i = 0; i < a.length; i++) {
    const entry = a.packed[i] ?? 0;
    packed[length] = entry;
    length += (marks[entry >>> FREQUENCY_BITS] ?? 0) ^ unmarked;
  }
  marks.fill(0);
  return { packed, length };
}

/** The entries of `a` whose document is in `b`. */
export function intersect(a: PostingList, b: PostingList): PostingList {
  if (a.length === 0 || b.length === 0) return NO_POSTINGS;
  if (a.length <= b.length * GALLOP_RATIO) return select(a, b, true);
  // `a` is much longer: search it for each document of `b`.
  const packed = new Uint32Array(b.length);
  let length = 0;
  let at = 0;
  for (let i = 0; i < b.length; i++) {
    const slot = slotAt(b, i);
    at = seek(a, slot, at);
    if (at < a.length && slotAt(a, at) === slot) packed[length++] = a.packed[at] ?? 0;
  }
  return { packed, length };
}

/** The entries of `a` whose document is not in `b`. */
export function subtract(a: PostingList, b: PostingList): PostingList {
  return b.length === 0 ? a : select(a, b, false);
}

function merge(a: PostingList, b: PostingList): PostingList {
  const packed = new Uint32Array(a.length + b.length);
  let length = 0;
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const x = i < a.length ? slotAt(a, i) : MAX_SLOTS;
    const y = j < b.length ? slotAt(b, j) : MAX_SLOTS;
    packed[length++] = Math.min(x, y) << FREQUENCY_BITS;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return { packed, length };
}

/** The documents in any of `lists`, without frequencies. */
export function unite(lists: readonly PostingList[]): PostingList {
  const filled = lists.filter((list) => list.length > 0);
  const [only] = filled;
  if (only === undefined) return NO_POSTINGS;
  if (filled.length === 1) return only;
  const total = filled.reduce((sum, { length }) => sum + length, 0);
  const [first = NO_POSTINGS, second = NO_POSTINGS] = filled;
  if (filled.length === 2 && total < MERGED_UNION) return merge(first, second);
  const seen = new Uint8Array(MAX_SLOTS);
  let bound = 0;
  for (const { packed, length } of filled) {
    for (let i = 0; i < length; i++) seen[(packed[i] ?? 0) >>> FREQUENCY_BITS] = 1;
    bound = Math.max(bound, ((packed[length - 1] ?? 0) >>> FREQUENCY_BITS) + 1);
  }
  const packed = new Uint32Array(bound);
  let length = 0;
  for (let slot = 0; slot < bound; slot++) {
    if (seen[slot] === 1) packed[length++] = slot << FREQUENCY_BITS;
  }
  return { packed, length };
}

/** The documents in all of `lists`, with the entries of the shortest. `lists` has at least one. */
export function intersectAll(lists: readonly PostingList[]): PostingList {
  const [shortest = NO_POSTINGS, ...rest] = [...lists].sort((a, b) => a.length - b.length);
  return rest.reduce(intersect, shortest);
}

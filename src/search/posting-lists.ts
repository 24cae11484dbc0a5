/**
 * Intersection, difference and union of postings by document. A result keeps the first operand's
 * entries, frequencies included. Lists of very different lengths are met by galloping, so that a
 * rare word beside a common one costs what the rare one costs.
 */
import { FREQUENCY_BITS, MAX_SLOTS, NO_POSTINGS, type PostingList } from './segment.js';

/** From this ratio of lengths on, jumping beats walking. */
export const GALLOP_RATIO = 12;

const slotAt = (list: PostingList, at: number) => (list.packed[at] ?? 0) >>> FREQUENCY_BITS;

/** First index from `from` on whose slot is at least `slot`. */
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

/** Zero between uses. */
const marks = new Uint8Array(MAX_SLOTS);

function keep(a: PostingList, b: PostingList, wanted: boolean): PostingList {
  return b.length > a.length * GALLOP_RATIO ? keepSeeking(a, b, wanted) : keepMarked(a, b, wanted);
}

function keepSeeking(a: PostingList, b: PostingList, wanted: boolean): PostingList {
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

/** Without a branch that depends on the data: a wrong guess of the processor costs more than ten steps. */
function keepMarked(a: PostingList, b: PostingList, wanted: boolean): PostingList {
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

/** Entries of `a` whose document is in `b`. */
export function intersect(a: PostingList, b: PostingList): PostingList {
  if (a.length === 0 || b.length === 0) return NO_POSTINGS;
  if (a.length <= b.length * GALLOP_RATIO) return keep(a, b, true);
  // Walk the short one and pick its documents out of the long one.
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

/** Entries of `a` whose document is not in `b`. */
export function subtract(a: PostingList, b: PostingList): PostingList {
  return b.length === 0 ? a : keep(a, b, false);
}

/** Documents in any of `lists`; frequencies are lost. */
export function unite(lists: readonly PostingList[]): PostingList {
  const filled = lists.filter((list) => list.length > 0);
  const [only] = filled;
  if (only === undefined) return NO_POSTINGS;
  if (filled.length === 1) return only;
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

/** Documents in all of `lists`, which are not empty; the shortest leads. */
export function intersectAll(lists: readonly PostingList[]): PostingList {
  const [shortest = NO_POSTINGS, ...rest] = [...lists].sort((a, b) => a.length - b.length);
  return rest.reduce(intersect, shortest);
}

/**
 * Packs documents of other segments into a frozen one: how a live segment is frozen, and how small
 * or much-deleted ones are merged. It works from the documents' tokens alone, in a few passes over
 * them; segment-store.ts bounds how many that are.
 */
import { type FrozenParts, FrozenSegment } from './frozen-segment.js';
import { FREQUENCY_BITS, type Layout, MAX_FREQUENCY, type Segment } from './segment.js';

/** One document of a segment. */
export interface Place {
  readonly segment: Segment;
  readonly slot: number;
}

/** The documents of `segment` that are not deleted, in order. */
export function livePlaces(segment: Segment): Place[] {
  const places: Place[] = [];
  for (let slot = 0; slot < segment.size; slot++) {
    if (segment.dead[slot] !== 1) places.push({ segment, slot });
  }
  return places;
}

/** Token numbers of all documents, still the dictionary's, with the start of each column. */
function gatherTokens(layout: Layout, places: readonly Place[]) {
  const width = layout.count + 1;
  const starts = new Uint32Array(places.length * width);
  let total = 0;
  places.forEach(({ segment, slot }, index) => {
    const base = segment.starts[slot * width] ?? 0;
    for (let column = 0; column < width; column++) {
      starts[index * width + column] = total + (segment.starts[slot * width + column] ?? 0) - base;
    }
    total = starts[index * width + width - 1] ?? 0;
  });
  const tokens = new Uint32Array(total);
  let at = 0;
  for (const { segment, slot } of places) {
    const from = segment.starts[slot * width] ?? 0;
    const to = segment.starts[slot * width + width - 1] ?? 0;
    for (let i = from; i < to; i++) tokens[at++] = segment.globalTerm(segment.tokens[i] ?? 0);
  }
  return { starts, tokens };
}

/** Renumbers the tokens from 0; `capacity` bounds the dictionary's numbers. */
function localise(tokens: Uint32Array, capacity: number) {
  const locals = new Int32Array(capacity);
  for (const token of tokens) locals[token] = 1;
  let count = 0;
  for (let term = 0; term < capacity; term++) locals[term] = locals[term] === 1 ? ++count : 0;
  const terms = new Uint32Array(count);
  for (let term = 0; term < capacity; term++) {
    const local = locals[term] ?? 0;
    if (local > 0) terms[local - 1] = term;
  }
  const renumbered =
    count <= 0x10000 ? new Uint16Array(tokens.length) : new Uint32Array(tokens.length);
  for (let i = 0; i < tokens.length; i++) renumbered[i] = (locals[tokens[i] ?? 0] ?? 1) - 1;
  return { terms, tokens: renumbered };
}

type Forward = Pick<FrozenParts, 'tokens' | 'starts'> & { size: number; termCount: number };

/** Calls `visit(term, slot, 1 if the column counts, place in the document)` for every token, document by document. */
function eachToken(
  { tokens, starts, size }: Forward,
  { count, defaults }: Layout,
  visit: (term: number, slot: number, counts: number, place: number) => void,
): void {
  for (let slot = 0; slot < size; slot++) {
    const base = starts[slot * (count + 1)] ?? 0;
    for (let column = 0; column < count; column++) {
      const at = slot * (count + 1) + column;
      const counts = (defaults >>> column) & 1;
      const to = starts[at + 1] ?? 0;
      for (let i = starts[at] ?? 0; i < to; i++) visit(tokens[i] ?? 0, slot, counts, i - base);
    }
  }
}

/** Adds up counts that stand one place to the right: offsets, the total last. */
function toOffsets(counts: Uint32Array): Uint32Array {
  for (let i = 1; i < counts.length; i++) counts[i] = (counts[i] ?? 0) + (counts[i - 1] ?? 0);
  return counts;
}

/** For each term, where its postings and where its places begin. */
function countTerms(forward: Forward, layout: Layout) {
  const { termCount } = forward;
  const postings = new Uint32Array(termCount + 1);
  const places = new Uint32Array(termCount + 1);
  const last = new Int32Array(termCount).fill(-1);
  let greatest = 0;
  eachToken(forward, layout, (term, slot, counts, place) => {
    places[term + 1] = (places[term + 1] ?? 0) + counts;
    if (counts * place > greatest) greatest = place;
    if (last[term] === slot) return;
    last[term] = slot;
    postings[term + 1] = (postings[term + 1] ?? 0) + 1;
  });
  return { offsets: toOffsets(postings), placeOffsets: toOffsets(places), greatest };
}

function invert(forward: Forward, layout: Layout) {
  const { termCount } = forward;
  const { offsets, placeOffsets, greatest } = countTerms(forward, layout);
  const packed = new Uint32Array(offsets[termCount] ?? 0);
  const placeStarts = new Uint32Array(packed.length);
  const total = placeOffsets[termCount] ?? 0;
  const places = greatest <= 0xffff ? new Uint16Array(total) : new Uint32Array(total);
  const cursors = offsets.slice(0, termCount);
  const placeCursors = placeOffsets.slice(0, termCount);
  const last = new Int32Array(termCount).fill(-1);
  eachToken(forward, layout, (term, slot, counts, place) => {
    const at = cursors[term] ?? 0;
    const placeAt = placeCursors[term] ?? 0;
    if (last[term] !== slot) {
      last[term] = slot;
      packed[at] = (slot << FREQUENCY_BITS) | counts;
      placeStarts[at] = placeAt;
      cursors[term] = at + 1;
    } else if (((packed[at - 1] ?? 0) & MAX_FREQUENCY) < MAX_FREQUENCY) {
      packed[at - 1] = (packed[at - 1] ?? 0) + counts;
    }
    if (counts === 1) {
      places[placeAt] = place;
      placeCursors[term] = placeAt + 1;
    }
  });
  return { offsets, packed, zeros: zerosOf(offsets, packed), places, placeStarts };
}

/** 1 for each term that has a posting of frequency 0. */
function zerosOf(offsets: Uint32Array, packed: Uint32Array): Uint8Array {
  const zeros = new Uint8Array(offsets.length - 1);
  for (let term = 0; term < zeros.length; term++) {
    const to = offsets[term + 1] ?? 0;
    for (let i = offsets[term] ?? 0; i < to; i++) {
      if (((packed[i] ?? 0) & MAX_FREQUENCY) === 0) zeros[term] = 1;
    }
  }
  return zeros;
}

/** Packs documents into a new segment, slots in the order given; at most MAX_SLOTS of them. */
export function packSegment(
  layout: Layout,
  places: readonly Place[],
  dictionaryCapacity: number,
): FrozenSegment {
  const gathered = gatherTokens(layout, places);
  const { terms, tokens } = localise(gathered.tokens, dictionaryCapacity);
  const size = places.length;
  const { starts } = gathered;
  const inverted = invert({ tokens, starts, size, termCount: terms.length }, layout);
  return new FrozenSegment(layout, {
    ids: places.map(({ segment, slot }) => segment.ids[slot] ?? 0),
    orders: Float64Array.from(places, ({ segment, slot }) => segment.orders[slot] ?? 0),
    lengths: Uint32Array.from(places, ({ segment, slot }) => segment.lengths[slot] ?? 0),
    tokens,
    starts,
    terms,
    ...inverted,
  });
}

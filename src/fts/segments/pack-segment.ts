/**
 * Packs documents of other segments in a new frozen segment: freezes a live segment, and merges small
 * segments and those with many deleted documents. It reads the documents' tokens in three passes;
 * segment-store.ts limits their number. The fields of each term are neighbours in one array, so that
 * each token needs one cache line instead of three (measured by the rows `build` of bench/search.mjs).
 */
import { type FrozenParts, FrozenSegment, narrowest, packedIds } from './frozen-segment.js';
import { frequencyOf, type Layout, posting, type Segment, tokensBefore } from './segment.js';

/** Where a document is stored. */
export interface DocumentLocation {
  readonly segment: Segment;
  readonly slot: number;
}

/** The documents of `segment` that are not deleted, in order. */
export function liveDocuments(segment: Segment): DocumentLocation[] {
  const documents: DocumentLocation[] = [];
  for (let slot = 0; slot < segment.size; slot++) {
    if (segment.dead[slot] !== 1) documents.push({ segment, slot });
  }
  return documents;
}

/**
 * The fields of a term: its local number, the last slot that contains it, and the count of its postings,
 * which becomes the index of its next posting. The fourth is unused, so that no term lies across two
 * cache lines.
 */
const FIELDS = 4;
const LOCAL = 0;
const LAST = 1;
const POSTINGS = 2;

/** The tokens of all documents as numbers of the dictionary, and the start of each column. */
function gatherTokens(layout: Layout, documents: readonly DocumentLocation[]) {
  const width = layout.count + 1;
  const starts = new Uint32Array(documents.length * width);
  let total = 0;
  documents.forEach(({ segment, slot }, index) => {
    const base = segment.starts[slot * width] ?? 0;
    for (let column = 0; column < width; column++) {
      starts[index * width + column] = total + (segment.starts[slot * width + column] ?? 0) - base;
    }
    total = starts[index * width + width - 1] ?? 0;
  });
  const tokens = new Uint32Array(total);
  let at = 0;
  for (const { segment, slot } of documents) {
    const { tokens: locals, globals } = segment;
    const to = tokensBefore(segment, slot + 1);
    for (let i = tokensBefore(segment, slot); i < to; i++) {
      const local = locals[i] ?? 0;
      tokens[at++] = globals === undefined ? local : (globals[local] ?? 0);
    }
  }
  return { starts, tokens };
}

/** The words with symbols of all documents. */
function gatherSymbols(documents: readonly DocumentLocation[]) {
  const starts = new Uint32Array(documents.length + 1);
  documents.forEach(({ segment: { symbolStarts }, slot }, index) => {
    const length = (symbolStarts[slot + 1] ?? 0) - (symbolStarts[slot] ?? 0);
    starts[index + 1] = (starts[index] ?? 0) + length;
  });
  const symbols = new Uint8Array(starts[documents.length] ?? 0);
  documents.forEach(({ segment, slot }, index) => {
    const from = segment.symbolStarts[slot] ?? 0;
    symbols.set(segment.symbols.subarray(from, segment.symbolStarts[slot + 1]), starts[index]);
  });
  return { symbols, symbolStarts: starts };
}

/** What the new segment keeps of all documents; `tokens` are numbers of the dictionary. */
function gather(layout: Layout, documents: readonly DocumentLocation[]) {
  const { length } = documents;
  const whole = documents[0]?.segment;
  // A live segment without deletions, as every one of a bulk load is, has all in this form already.
  if (whole?.globals === undefined && whole?.size === length) {
    const [lengths, orders] = [whole.lengths.slice(0, length), whole.orders.slice(0, length)];
    const starts = whole.starts.slice(0, length * (layout.count + 1));
    const tokens = whole.tokens.subarray(0, starts[starts.length - 1]);
    const symbolStarts = whole.symbolStarts.slice(0, length + 1);
    const symbols = whole.symbols.slice(0, symbolStarts[length]);
    return { lengths, orders, starts, tokens, symbolStarts, symbols };
  }
  return {
    lengths: Uint32Array.from(documents, ({ segment, slot }) => segment.lengths[slot] ?? 0),
    orders: Float64Array.from(documents, ({ segment, slot }) => segment.orders[slot] ?? 0),
    ...gatherTokens(layout, documents),
    ...gatherSymbols(documents),
  };
}

/** The tokens of documents, document after document, column after column. */
interface Forward {
  readonly tokens: Uint16Array | Uint32Array;
  readonly starts: Uint32Array;
  /** Tokens in the default columns of each document. */
  readonly lengths: Uint32Array;
  readonly size: number;
}

/** Counts the documents of each term. */
function countTerms({ tokens, starts, size }: Forward, { count }: Layout, terms: Int32Array): void {
  for (let slot = 0; slot < size; slot++) {
    const to = starts[slot * (count + 1) + count] ?? 0;
    for (let i = starts[slot * (count + 1)] ?? 0; i < to; i++) {
      const at = FIELDS * (tokens[i] ?? 0);
      // Slots count from 1 here, so that 0 means none and the new array needs no preparation.
      if (terms[at + LAST] === slot + 1) continue;
      terms[at + LAST] = slot + 1;
      terms[at + POSTINGS] = (terms[at + POSTINGS] ?? 0) + 1;
    }
  }
}

/** Gives the terms that occur local numbers and turns their counts into the offsets of their postings. */
function numberTerms(terms: Int32Array, capacity: number) {
  const numbers = new Uint32Array(capacity);
  const offsets = new Uint32Array(capacity + 1);
  let count = 0;
  let postings = 0;
  for (let term = 0; term < capacity; term++) {
    const at = FIELDS * term;
    const documents = terms[at + POSTINGS] ?? 0;
    if (documents === 0) continue;
    terms[at + LOCAL] = count;
    terms[at + LAST] = 0;
    terms[at + POSTINGS] = postings;
    numbers[count] = term;
    postings += documents;
    offsets[++count] = postings;
  }
  return { numbers: numbers.slice(0, count), offsets: offsets.slice(0, count + 1) };
}

type Inverted = Pick<FrozenParts, 'tokens' | 'packed' | 'zeros'>;

/** Writes the postings, and the tokens as local numbers. */
function fill(
  { tokens, starts, lengths, size }: Forward,
  { count, defaults }: Layout,
  terms: Int32Array,
  { tokens: renumbered, packed, zeros }: Inverted,
): void {
  for (let slot = 0; slot < size; slot++) {
    for (let column = 0; column < count; column++) {
      const counts = (defaults >>> column) & 1;
      const to = starts[slot * (count + 1) + column + 1] ?? 0;
      for (let i = starts[slot * (count + 1) + column] ?? 0; i < to; i++) {
        const at = FIELDS * (tokens[i] ?? 0);
        renumbered[i] = terms[at + LOCAL] ?? 0;
        const next = terms[at + POSTINGS] ?? 0;
        if (terms[at + LAST] !== slot + 1) {
          terms[at + LAST] = slot + 1;
          packed[next] = posting(slot, counts, lengths[slot] ?? 0);
          terms[at + POSTINGS] = next + 1;
        } else if (counts === 1)
          packed[next - 1] = posting(
            slot,
            frequencyOf(packed[next - 1] ?? 0) + 1,
            lengths[slot] ?? 0,
          );
        if (counts === 0) zeros[terms[at + LOCAL] ?? 0] = 1;
      }
    }
  }
}

/** Packs at most MAX_SLOTS documents in a new segment, in the order given. */
export function packSegment(
  layout: Layout,
  documents: readonly DocumentLocation[],
  dictionaryCapacity: number,
): FrozenSegment {
  const { tokens, ...kept } = gather(layout, documents);
  const forward = { ...kept, tokens, size: documents.length };
  const terms = new Int32Array(FIELDS * dictionaryCapacity);
  countTerms(forward, layout, terms);
  const { numbers, offsets } = numberTerms(terms, dictionaryCapacity);
  const packed = new Uint32Array(offsets[numbers.length] ?? 0);
  const inverted = {
    tokens: narrowest(tokens.length, numbers.length),
    packed,
    zeros: new Uint8Array(numbers.length),
  };
  fill(forward, layout, terms, inverted);
  return new FrozenSegment(layout, {
    ...kept,
    ids: packedIds(documents.map(({ segment, slot }) => segment.ids[slot] ?? 0)),
    terms: numbers,
    offsets,
    ...inverted,
  });
}

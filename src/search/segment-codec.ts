/**
 * A frozen segment as one buffer, for the disk cache, and back. Terms are places in a list of all
 * terms, a buffer of its own (index-codec.ts). Deleted documents are left out.
 */
import { type AnyArray, decodeArrays, encodeArrays } from './array-codec.js';
import { type FrozenParts, FrozenSegment, packedIds } from './frozen-segment.js';
import { livePlaces, packSegment } from './pack-segment.js';
import type { DocumentId, Layout } from './segment.js';

interface Facts {
  /** Absent from what is no segment. */
  readonly layout?: Layout;
  /** Where not all are numbers. */
  readonly ids?: readonly DocumentId[];
  readonly totals?: SegmentTotals;
}

/** What would have to be counted at every start. */
export interface SegmentTotals {
  /** In the default columns of all documents. */
  readonly tokens: number;
  readonly lastOrder: number;
}

/** The bytes of `segment`. `places`: where each number of the dictionary stands in the list of terms. */
export function encodeSegment(
  segment: FrozenSegment,
  places: Uint32Array,
  idInCache: (id: DocumentId) => DocumentId,
): Buffer {
  const { parts, layout } =
    segment.deadCount === 0
      ? segment
      : packSegment(segment.layout, livePlaces(segment), places.length);
  const { ids: own, ...others } = parts;
  const ids = packedIds(Array.from(own, idInCache));
  const terms = parts.terms.map((number) => places[number] ?? 0);
  const arrays = { ...others, terms } satisfies Record<string, AnyArray>;
  const totals: SegmentTotals = {
    tokens: parts.lengths.reduce((sum, length) => sum + length, 0),
    lastOrder: parts.orders.reduce((last, order) => Math.max(last, order), 0),
  };
  return ids instanceof Float64Array
    ? encodeArrays({ layout, totals }, { ...arrays, ids })
    : encodeArrays({ layout, totals, ids }, arrays);
}

/** The segment in `buffer`, or nothing if it is damaged, of another version or another layout. */
export function decodeSegment(
  buffer: Buffer,
  layout: Layout,
): { segment: FrozenSegment; totals: SegmentTotals } | undefined {
  const decoded = decodeArrays(buffer);
  if (decoded === undefined) return undefined;
  const facts = decoded.facts as Facts;
  const { totals } = facts;
  if (facts.layout?.count !== layout.count || facts.layout.defaults !== layout.defaults || !totals)
    return undefined;
  // The checksum vouches for what encodeSegment wrote.
  const parts = { ids: facts.ids, ...decoded.arrays } as unknown as FrozenParts;
  return { segment: new FrozenSegment(layout, parts), totals };
}

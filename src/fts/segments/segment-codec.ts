/**
 * Encodes a frozen segment in one buffer for the disk cache, and decodes it. Its terms are indexes into
 * the list of all terms, which index-codec.ts writes to a buffer of its own. Deleted documents are
 * left out.
 */
import { type AnyArray, decodeArrays, encodeArrays } from '../../base/arrays/array-codec.js';
import { type FrozenParts, FrozenSegment, packedIds } from './frozen-segment.js';
import { liveDocuments, packSegment } from './pack-segment.js';
import type { DocumentId, Layout } from './segment.js';
import type { SegmentTotals } from './segment-store.js';

interface SegmentMeta {
  /** Absent in a buffer that is not a segment. */
  readonly layout?: Layout;
  /** Present if not all ids are numbers. */
  readonly ids?: readonly DocumentId[];
  readonly totals?: SegmentTotals;
}

/** `termIndexes` has, for each number of the dictionary, its index in the list of all terms. */
export function encodeSegment(
  segment: FrozenSegment,
  termIndexes: Uint32Array,
  idInCache: (id: DocumentId) => DocumentId,
): Buffer {
  const { parts, layout } =
    segment.deadSlots.length === 0
      ? segment
      : packSegment(segment.layout, liveDocuments(segment), termIndexes.length);
  const { ids: own, ...others } = parts;
  const ids = packedIds(Array.from(own, idInCache));
  const terms = parts.terms.map((number) => termIndexes[number] ?? 0);
  const arrays = { ...others, terms } satisfies Record<string, AnyArray>;
  const totals: SegmentTotals = {
    tokenCount: parts.lengths.reduce((sum, length) => sum + length, 0),
    lastOrder: parts.orders.reduce((last, order) => Math.max(last, order), 0),
  };
  return ids instanceof Float64Array
    ? encodeArrays({ layout, totals }, { ...arrays, ids })
    : encodeArrays({ layout, totals, ids }, arrays);
}

/** `undefined` if the buffer is damaged, of another version or of another layout. */
export function decodeSegment(
  buffer: Buffer,
  layout: Layout,
): { segment: FrozenSegment; totals: SegmentTotals } | undefined {
  const decoded = decodeArrays(buffer);
  if (decoded === undefined) return undefined;
  const meta = decoded.meta as SegmentMeta;
  const { totals } = meta;
  if (meta.layout?.count !== layout.count || meta.layout.defaults !== layout.defaults || !totals)
    return undefined;
  // The checksum proves that these are the arrays that encodeSegment wrote.
  const parts = { ids: meta.ids, ...decoded.arrays } as unknown as FrozenParts;
  return { segment: new FrozenSegment(layout, parts), totals };
}

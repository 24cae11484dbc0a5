/**
 * A frozen segment as one buffer, for the disk cache, and back. Layout: magic and version, CRC-32 of
 * the rest, length of a JSON head (ids, the arrays' types and lengths), the head, the arrays one
 * after another on 8-byte boundaries. Terms are places in a list of all terms, a buffer of its own
 * (index-codec.ts). Deleted documents are left out. What does not check out is refused, never
 * repaired: the cache is only a copy.
 */
import { crc32 } from 'node:zlib';
import { type FrozenParts, FrozenSegment } from './frozen-segment.js';
import { livePlaces, packSegment } from './pack-segment.js';
import type { DocumentId, Layout } from './segment.js';

/** `DBSG`, then the version: raised with every change of the layout or of a tokenizer. */
const MAGIC = 0x44425347;
export const SEGMENT_FORMAT = 1;
const HEADER_BYTES = 16;

const ARRAY_TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f64: Float64Array,
} as const;
type ArrayType = keyof typeof ARRAY_TYPES;
type AnyArray = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** In this order in the file. */
const ARRAYS = [
  'terms',
  'orders',
  'lengths',
  'tokens',
  'starts',
  'offsets',
  'packed',
  'zeros',
  'places',
  'placeStarts',
] as const;

interface Head {
  readonly layout: Layout;
  readonly ids: readonly DocumentId[];
  readonly arrays: readonly { readonly type: ArrayType; readonly length: number }[];
}

const align = (offset: number) => Math.ceil(offset / 8) * 8;

const typeOf = (array: AnyArray): ArrayType => {
  if (array instanceof Uint8Array) return 'u8';
  if (array instanceof Uint16Array) return 'u16';
  return array instanceof Uint32Array ? 'u32' : 'f64';
};

/** The bytes of `segment`. `places`: where each number of the dictionary stands in the list of terms. */
export function encodeSegment(segment: FrozenSegment, places: Uint32Array): Buffer {
  const { parts, layout } =
    segment.deadCount === 0
      ? segment
      : packSegment(segment.layout, livePlaces(segment), places.length);
  const terms = parts.terms.map((number) => places[number] ?? 0);
  const arrays = ARRAYS.map((name) => (name === 'terms' ? terms : parts[name]));
  const head: Head = {
    layout,
    ids: parts.ids,
    arrays: arrays.map((array) => ({ type: typeOf(array), length: array.length })),
  };
  const headBytes = Buffer.from(JSON.stringify(head));
  let size = align(HEADER_BYTES + headBytes.length);
  for (const array of arrays) size = align(size + array.byteLength);
  const buffer = Buffer.alloc(size);
  headBytes.copy(buffer, HEADER_BYTES);
  let at = align(HEADER_BYTES + headBytes.length);
  for (const array of arrays) {
    buffer.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at = align(at + array.byteLength);
  }
  buffer.writeUInt32LE(MAGIC, 0);
  buffer.writeUInt32LE(SEGMENT_FORMAT, 4);
  buffer.writeUInt32LE(headBytes.length, 12);
  buffer.writeUInt32LE(crc32(buffer.subarray(12)), 8);
  return buffer;
}

function isIntact(buffer: Buffer): boolean {
  return (
    buffer.length >= HEADER_BYTES &&
    buffer.readUInt32LE(0) === MAGIC &&
    buffer.readUInt32LE(4) === SEGMENT_FORMAT &&
    buffer.readUInt32LE(8) === crc32(buffer.subarray(12))
  );
}

function readArrays(buffer: Buffer, head: Head, start: number): AnyArray[] {
  // A buffer from a pool may lie at any address; one of its own is used as it is.
  const isAligned = buffer.byteOffset % 8 === 0;
  let at = start;
  return head.arrays.map(({ type, length }) => {
    const make = ARRAY_TYPES[type];
    const from = at;
    const bytes = length * make.BYTES_PER_ELEMENT;
    at = align(at + bytes);
    if (isAligned) return new make(buffer.buffer as ArrayBuffer, buffer.byteOffset + from, length);
    return new make(Uint8Array.prototype.slice.call(buffer, from, from + bytes).buffer);
  });
}

type TermParts = Pick<
  FrozenParts,
  'tokens' | 'offsets' | 'packed' | 'zeros' | 'placeStarts' | 'terms'
>;

/** Local numbers in the order of the dictionary's: what a frozen segment's binary search needs. */
function renumber(parts: TermParts): TermParts {
  const { terms, tokens, offsets, packed, zeros, placeStarts } = parts;
  const order = Uint32Array.from(terms.keys()).sort((a, b) => (terms[a] ?? 0) - (terms[b] ?? 0));
  const locals = new Uint32Array(order.length);
  const renumbered = {
    terms: Uint32Array.from(order, (old) => terms[old] ?? 0),
    tokens: tokens.slice(),
    offsets: new Uint32Array(offsets.length),
    packed: new Uint32Array(packed.length),
    zeros: Uint8Array.from(order, (old) => zeros[old] ?? 0),
    placeStarts: new Uint32Array(packed.length),
  };
  let at = 0;
  order.forEach((old, local) => {
    locals[old] = local;
    const [from, to] = [offsets[old] ?? 0, offsets[old + 1] ?? 0];
    renumbered.packed.set(packed.subarray(from, to), at);
    renumbered.placeStarts.set(placeStarts.subarray(from, to), at);
    at += to - from;
    renumbered.offsets[local + 1] = at;
  });
  for (let i = 0; i < tokens.length; i++) renumbered.tokens[i] = locals[tokens[i] ?? 0] ?? 0;
  return renumbered;
}

/** A segment without its terms' numbers in the dictionary of this process. */
export interface DecodedSegment {
  readonly parts: FrozenParts;
  /** Greatest place in the list of terms that it refers to. */
  readonly greatestTerm: number;
}

/** The segment in `buffer`, or nothing if it is damaged, of another version or another layout. */
export function decodeSegment(buffer: Buffer, layout: Layout): DecodedSegment | undefined {
  if (!isIntact(buffer)) return undefined;
  const headEnd = HEADER_BYTES + buffer.readUInt32LE(12);
  const head = JSON.parse(buffer.toString('utf8', HEADER_BYTES, headEnd)) as Head;
  if (head.layout.count !== layout.count || head.layout.defaults !== layout.defaults)
    return undefined;
  const arrays = readArrays(buffer, head, align(headEnd));
  const stored = Object.fromEntries(ARRAYS.map((name, i) => [name, arrays[i]]));
  // The checksum vouches for what encodeSegment wrote.
  const parts = { ...stored, ids: head.ids } as unknown as FrozenParts;
  return { parts, greatestTerm: parts.terms.at(-1) ?? -1 };
}

/** Gives it the dictionary's numbers: `numbers` by place in the list of terms. */
export function withNumbers(
  { parts }: DecodedSegment,
  layout: Layout,
  numbers: Uint32Array,
): FrozenSegment {
  const terms = parts.terms.map((place) => numbers[place] ?? 0);
  const isAscending = terms.every((term, i) => i === 0 || term > (terms[i - 1] ?? 0));
  const numbered = { ...parts, terms };
  return new FrozenSegment(layout, isAscending ? numbered : { ...numbered, ...renumber(numbered) });
}

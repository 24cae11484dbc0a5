/**
 * Encodes named typed arrays and some JSON in one buffer for the disk cache, and decodes it. Layout: magic
 * number, version, CRC-32 of the rest, length of a JSON head (the caller's JSON; names, types and
 * lengths of the arrays), the head, then the arrays on 8-byte boundaries. A buffer that fails a check
 * is refused and never repaired, because the cache is only a copy.
 */
import { crc32 } from 'node:zlib';

/** `DBSG`. The version after it is raised with every change of a layout in a cache, or of a tokenizer. */
const MAGIC = 0x44425347;
const CACHE_FORMAT = 8;
const HEADER_BYTES = 16;

const ARRAY_TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  f64: Float64Array,
  u64: BigUint64Array,
} as const;
type ArrayType = keyof typeof ARRAY_TYPES;
export type AnyArray = (typeof ARRAY_TYPES)[ArrayType]['prototype'];

interface Head {
  readonly meta: unknown;
  readonly arrays: readonly {
    readonly name: string;
    readonly type: ArrayType;
    readonly length: number;
  }[];
}

const align = (offset: number) => Math.ceil(offset / 8) * 8;

function typeOf(array: AnyArray): ArrayType {
  const types = Object.keys(ARRAY_TYPES) as ArrayType[];
  return types.find((type) => array instanceof ARRAY_TYPES[type]) ?? 'u8';
}

/** `meta` is any JSON value. */
export function encodeArrays(meta: unknown, arrays: Readonly<Record<string, AnyArray>>): Buffer {
  const named = Object.entries(arrays);
  const described = named.map(([name, array]) => {
    return { name, type: typeOf(array), length: array.length };
  });
  const head: Head = { meta, arrays: described };
  const headBytes = Buffer.from(JSON.stringify(head));
  const start = align(HEADER_BYTES + headBytes.length);
  const size = named.reduce((end, [, array]) => align(end + array.byteLength), start);
  const buffer = Buffer.alloc(size);
  headBytes.copy(buffer, HEADER_BYTES);
  let at = start;
  for (const [, array] of named) {
    buffer.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
    at = align(at + array.byteLength);
  }
  buffer.writeUInt32LE(MAGIC, 0);
  buffer.writeUInt32LE(CACHE_FORMAT, 4);
  buffer.writeUInt32LE(headBytes.length, 12);
  buffer.writeUInt32LE(crc32(buffer.subarray(12)), 8);
  return buffer;
}

/** `undefined` if the buffer is damaged or of another version. The arrays are views of an aligned buffer. */
export function decodeArrays(
  buffer: Buffer,
): { meta: unknown; arrays: Readonly<Record<string, AnyArray>> } | undefined {
  const isIntact =
    buffer.length >= HEADER_BYTES &&
    buffer.readUInt32LE(0) === MAGIC &&
    buffer.readUInt32LE(4) === CACHE_FORMAT &&
    buffer.readUInt32LE(8) === crc32(buffer.subarray(12));
  if (!isIntact) return undefined;
  const headEnd = HEADER_BYTES + buffer.readUInt32LE(12);
  const head = JSON.parse(buffer.toString('utf8', HEADER_BYTES, headEnd)) as Head;
  // A buffer from Node's pool can begin at any address. Only an aligned one can be viewed as numbers.
  const { buffer: memory, byteOffset } =
    buffer.byteOffset % 8 === 0 ? buffer : new Uint8Array(buffer);
  const arrays: Record<string, AnyArray> = {};
  let at = align(headEnd);
  for (const { name, type, length } of head.arrays) {
    arrays[name] = new ARRAY_TYPES[type](memory as ArrayBuffer, byteOffset + at, length);
    at = align(at + length * ARRAY_TYPES[type].BYTES_PER_ELEMENT);
  }
  return { meta: head.meta, arrays };
}

/** A Zstandard frame of raw blocks: it is not compressed, but any decoder reads it (RFC 8878). */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** One segment, with the size of the content in four bytes. */
const DESCRIPTOR = 0xa0;
const BLOCK_BYTES = 100_000;

export function zstdOf(content: string): Buffer {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(5);
  head.writeUInt8(DESCRIPTOR, 0);
  head.writeUInt32LE(bytes.byteLength, 1);
  const parts: Buffer[] = [MAGIC, head];
  for (let at = 0; at === 0 || at < bytes.byteLength; at += BLOCK_BYTES) {
    const block = bytes.subarray(at, at + BLOCK_BYTES);
    const isLast = at + BLOCK_BYTES >= bytes.byteLength;
    const size = Buffer.alloc(4);
    size.writeUInt32LE((isLast ? 1 : 0) | (block.byteLength << 3));
    parts.push(size.subarray(0, 3), block);
  }
  return Buffer.concat(parts);
}

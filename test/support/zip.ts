/** Makes zip archives, also malicious ones: names that lead out of the archive, links, bombs. */
import { deflateRawSync, crc32 as zlibCrc32 } from 'node:zlib';

export interface ZipEntry {
  name: string;
  content: string | Uint8Array;
  /** Unix mode with the file type; default: a regular file. */
  mode?: number;
  /** Sizes that the archive states instead of the true ones. */
  claimsBytes?: number;
  isEncrypted?: boolean;
  /** It was changed on this day of January 2025 (default: the first). */
  day?: number;
  /** Its checksum is wrong, or its compressed bytes are changed. */
  damage?: 'checksum' | 'bytes';
}

const crc32 = (bytes: Uint8Array): number => zlibCrc32(bytes);

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, mode = 0o100644, claimsBytes, isEncrypted, damage, day } of entries) {
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain);
    if (damage === 'bytes') packed.fill(0xff, packed.byteLength >> 1);
    const nameBytes = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (isEncrypted ? 1 : 0), 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(0x5a20 | (day ?? 1), 8);
    common.writeUInt32LE((crc32(plain) ^ (damage === 'checksum' ? 1 : 0)) >>> 0, 10);
    common.writeUInt32LE(packed.byteLength, 14);
    common.writeUInt32LE(claimsBytes ?? plain.byteLength, 18);
    common.writeUInt16LE(nameBytes.byteLength, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, nameBytes, packed]);
    const more = Buffer.alloc(14);
    more.writeUInt32LE((mode << 16) >>> 0, 6);
    more.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([20, 3]);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002'), madeBy, common, more, nameBytes]));
    parts.push(local);
    offset += local.byteLength;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.byteLength, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\u0005\u0006'), end]);
}

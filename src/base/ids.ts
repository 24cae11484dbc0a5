/**
 * The only module for random values and SHA-256: message ids, derived ids, keys. A derived id is the same in
 * every process, so that two servers that read the same hand-edited file use the same ids.
 */
import { createHash, hash, randomBytes, randomInt, randomUUID } from 'node:crypto';

/** Returns a random UUID (version 4). */
export function newUuid(): string {
  return randomUUID();
}

/** Returns `bytes` * 2 random hexadecimal digits. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** Returns random bytes for keys, salts and initialization vectors. */
export const randomOctets = (count: number) => randomBytes(count);

/** Returns the SHA-256 in lower-case hexadecimal. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/** Returns a UUID (version 8, RFC 9562: custom) from a hash of the parts. Equal parts have equal ids. */
export function derivedUuid(...parts: readonly string[]): string {
  const hex = sha256Hex(JSON.stringify(parts));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Returns a random whole number from 0 to `limit` - 1. */
export function randomBelow(limit: number): number {
  return randomInt(limit);
}

/** Computes a SHA-256 in several steps. */
export function sha256Stream(): { update(bytes: Uint8Array): void; hex(): string } {
  const digest = createHash('sha256');
  return { update: (bytes) => void digest.update(bytes), hex: () => digest.digest('hex') };
}

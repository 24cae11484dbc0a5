/**
 * The only door to randomness and hashing of names: message ids, derived ids, short references.
 * A derived id is the same in every process, so that two servers reading one hand-edited file agree.
 */
import { createHash, hash, randomBytes, randomInt, randomUUID } from 'node:crypto';

/** A random UUID (version 4), the id of a new message. */
export function newUuid(): string {
  return randomUUID();
}

/** Random hexadecimal text of `bytes` * 2 characters. */
export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** For keys, salts and initialisation vectors. */
export const randomOctets = (count: number) => randomBytes(count);

/** Lower-case hexadecimal SHA-256. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data);
}

/** A UUID (version 8, RFC 9562: custom) made from the parts alone: equal parts, equal id. */
export function derivedUuid(...parts: readonly string[]): string {
  const hex = sha256Hex(JSON.stringify(parts));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A whole number from 0 to below `limit`, for jitter. */
export function randomBelow(limit: number): number {
  return randomInt(limit);
}

/** SHA-256 of what comes piece by piece. */
export function sha256Stream(): { update(bytes: Uint8Array): void; hex(): string } {
  const digest = createHash('sha256');
  return { update: (bytes) => void digest.update(bytes), hex: () => digest.digest('hex') };
}

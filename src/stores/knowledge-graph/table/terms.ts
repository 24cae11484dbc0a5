/**
 * Interns the strings of the graph: each is stored once, as UTF-8 bytes in one buffer, and has a small
 * number as its id. So a million triples need no string objects; a string is built when it is read. Ids
 * are not reused: the terms of deleted triples stay until the next start.
 */
import { withCapacity } from '../../../base/arrays/typed-array.js';

const EMPTY = -1;
/** Longer than any part of a triple in UTF-8. */
const SCRATCH_BYTES = 4096;
const MAX_CACHED_TEXTS = 20_000;

export class Terms {
  #bytes = Buffer.allocUnsafeSlow(1 << 16);
  #used = 0;
  /** The offset of each term in `#bytes`, and then the end of the last term. */
  #starts = new Uint32Array(1 << 10);
  #hashes = new Uint32Array(1 << 10);
  #count = 0;
  /** A hash table with open addressing: ids of terms by hash. */
  #slots = new Int32Array(1 << 11).fill(EMPTY);
  /** A cache of the strings that were built. */
  readonly #texts = new Map<number, string>();
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  get count(): number {
    return this.#count;
  }

  /** Returns the id of a string, and adds the string if it is new. */
  intern(text: string): number {
    const length = this.#encode(text);
    return this.internBytes(this.#scratch, 0, length);
  }

  /** Returns the id of a string; -1 if it was never interned. */
  find(text: string): number {
    if (text.length > SCRATCH_BYTES / 4) return EMPTY;
    const length = this.#encode(text);
    return (
      this.#slots[this.#slotOf(this.#scratch, 0, length, hashOf(this.#scratch, 0, length))] ?? EMPTY
    );
  }

  /** Like `intern`, for UTF-8 bytes. */
  internBytes(source: Uint8Array, from: number, to: number): number {
    const hash = hashOf(source, from, to);
    const slot = this.#slotOf(source, from, to, hash);
    const known = this.#slots[slot] ?? EMPTY;
    if (known !== EMPTY) return known;
    const number = this.#count;
    this.#makeRoom(to - from);
    this.#bytes.set(source.subarray(from, to), this.#used);
    this.#used += to - from;
    this.#hashes[number] = hash;
    this.#count += 1;
    this.#starts[this.#count] = this.#used;
    this.#slots[slot] = number;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return number;
  }

  text(number: number): string {
    const known = this.#texts.get(number);
    if (known !== undefined) return known;
    if (this.#texts.size === MAX_CACHED_TEXTS) this.#texts.clear();
    const text = this.#bytes.toString('utf8', this.#starts[number], this.#starts[number + 1]);
    this.#texts.set(number, text);
    return text;
  }

  /** Compares by UTF-8 bytes, which is the order of the code points. */
  compare(a: number, b: number): number {
    if (a === b) return 0;
    const bytes = this.#bytes;
    const [startA, startB] = [this.#starts[a] ?? 0, this.#starts[b] ?? 0];
    const [lengthA, lengthB] = [this.#length(a), this.#length(b)];
    const common = Math.min(lengthA, lengthB);
    for (let index = 0; index < common; index += 1) {
      const difference = (bytes[startA + index] ?? 0) - (bytes[startB + index] ?? 0);
      if (difference !== 0) return difference;
    }
    return lengthA - lengthB;
  }

  startsWith(number: number, prefix: Uint8Array): boolean {
    const start = this.#starts[number] ?? 0;
    if (this.#length(number) < prefix.length) return false;
    for (let index = 0; index < prefix.length; index += 1) {
      if (this.#bytes[start + index] !== prefix[index]) return false;
    }
    return true;
  }

  /** Without regard to case. `undefined` for a term that is not ASCII, which the caller must fold. */
  includesAscii(number: number, lowerCase: Uint8Array): boolean | undefined {
    const bytes = this.#bytes;
    const start = this.#starts[number] ?? 0;
    const end = this.#starts[number + 1] ?? 0;
    for (let at = start; at < end; at += 1) if ((bytes[at] ?? 0) > 0x7f) return undefined;
    const last = end - lowerCase.length;
    for (let at = start; at <= last; at += 1) {
      let same = 0;
      while (same < lowerCase.length && lowerOf(bytes[at + same] ?? 0) === lowerCase[same])
        same += 1;
      if (same === lowerCase.length) return true;
    }
    return false;
  }

  #length(number: number): number {
    return (this.#starts[number + 1] ?? 0) - (this.#starts[number] ?? 0);
  }

  /**
   * Encodes into `#scratch`. For short ASCII texts, which are the most, a loop is faster than a native call.
   */
  #encode(text: string): number {
    const scratch = this.#scratch;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f || index >= SCRATCH_BYTES) return scratch.write(text, 'utf8');
      scratch[index] = code;
    }
    return text.length;
  }

  /** Returns the slot of the term, or the free slot for it. */
  #slotOf(source: Uint8Array, from: number, to: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] ?? EMPTY;
      if (number === EMPTY) return slot;
      if (this.#hashes[number] === hash && this.equals(number, source, from, to)) return slot;
    }
  }

  /** Whether the term has exactly these bytes. */
  equals(number: number, source: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[number] ?? 0;
    if (this.#length(number) !== to - from) return false;
    const bytes = this.#bytes;
    for (let index = from; index < to; index += 1) {
      if (bytes[start + index - from] !== source[index]) return false;
    }
    return true;
  }

  #makeRoom(sizeBytes: number): void {
    if (this.#used + sizeBytes > this.#bytes.length) {
      const bytes = Buffer.allocUnsafeSlow(2 * this.#bytes.length + sizeBytes);
      bytes.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = bytes;
    }
    this.#starts = withCapacity(this.#starts, this.#count + 2);
    this.#hashes = withCapacity(this.#hashes, this.#count + 2);
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#count; number += 1) {
      let slot = (this.#hashes[number] ?? 0) & mask;
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }
}

const lowerOf = (byte: number) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);

/** FNV-1a with a final mix, because the lower bits select the slot. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let index = from; index < to; index += 1) {
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/**
 * Growable typed arrays. The length of a typed array is fixed, so a full one is copied to one twice as long.
 */

type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** Returns `array` if it has at least `length` items; otherwise a longer copy, with 0 in the new items. */
export function withCapacity<T extends NumberArray>(array: T, length: number): T {
  if (length <= array.length) return array;
  const ArrayType = array.constructor as new (length: number) => T;
  const longer = new ArrayType(Math.max(length, array.length * 2));
  longer.set(array);
  return longer;
}

const MIN_CAPACITY = 16;
/** `clear` releases an array that is longer than this. */
const MAX_RETAINED = 2 ** 18;

/** A list of unsigned 32-bit numbers. */
export class Uint32List {
  array: Uint32Array;
  count = 0;

  constructor(capacity = MIN_CAPACITY) {
    this.array = new Uint32Array(capacity);
  }

  /** Ensures that the array has space for `more` numbers and returns it. The caller may write to it. */
  reserve(more: number): Uint32Array {
    this.array = withCapacity(this.array, this.count + more);
    return this.array;
  }

  push(number: number): void {
    this.reserve(1)[this.count++] = number;
  }

  append(numbers: Uint32Array): void {
    this.reserve(numbers.length).set(numbers, this.count);
    this.count += numbers.length;
  }

  clear(): void {
    this.count = 0;
    if (this.array.length > MAX_RETAINED) this.array = new Uint32Array(MIN_CAPACITY);
  }
}

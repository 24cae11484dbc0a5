/** Which words of a question each message has, as bitmasks: bit 0 is the first word. The postings set them. */

/** By index of the message in its conversation: its number. */
interface NumberedMessages {
  readonly numbers: Uint32Array;
}

const NO_MESSAGE = -1;

/** By message number: bitmasks of the words that the message has. */
export class WordMasks {
  /** In its content, its speaker's name or its date. */
  readonly all: Uint32Array;
  readonly content: Uint32Array;
  /** Among its first, or its last, NEAR_TERMS terms. */
  readonly heads: Uint32Array;
  readonly tails: Uint32Array;
  /** More than once. */
  readonly repeated: Uint32Array;

  /** Space for the numbers of the messages that have words. */
  readonly numbers: Uint32Array;

  /** `messages`: all numbers are lower. */
  constructor(messages: number) {
    this.all = new Uint32Array(messages);
    this.content = new Uint32Array(messages);
    this.heads = new Uint32Array(messages);
    this.tails = new Uint32Array(messages);
    this.repeated = new Uint32Array(messages);
    this.numbers = new Uint32Array(messages);
  }

  clear(): void {
    for (const masks of [this.all, this.content, this.heads, this.tails, this.repeated])
      masks.fill(0);
  }
}

/** The bitmask of a message; 0 if the conversation has no such message. `masks`: an array of WordMasks. */
export const maskOf = (
  masks: Uint32Array,
  { numbers }: NumberedMessages,
  message: number,
): number => masks[numbers[message] ?? NO_MESSAGE] ?? 0;

const BITS = 8;
const LOWEST_BITS = 2 ** BITS - 1;

/** The sum of the weights of the words of a bitmask, from a table for each eight bits. */
export class MaskWeights {
  readonly #tables: readonly Float64Array[];

  constructor(weights: Float64Array) {
    const tables = Math.ceil(weights.length / BITS);
    this.#tables = Array.from({ length: tables }, (_, table) =>
      sumsOf(weights.subarray(table * BITS, (table + 1) * BITS)),
    );
  }

  of(mask: number): number {
    const tables = this.#tables;
    let sum = 0;
    for (let table = 0, rest = mask; rest !== 0; table++, rest >>>= BITS)
      sum += tables[table]?.[rest & LOWEST_BITS] ?? 0;
    return sum;
  }
}

/** By bitmask of up to eight words. */
function sumsOf(weights: Float64Array): Float64Array {
  const sums = new Float64Array(2 ** weights.length);
  for (let mask = 1; mask < sums.length; mask++) {
    const lowest = 31 - Math.clz32(mask & -mask);
    sums[mask] = (sums[mask & (mask - 1)] ?? 0) + (weights[lowest] ?? 0);
  }
  return sums;
}

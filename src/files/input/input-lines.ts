/**
 * The lines of an input's file, one by one. A line that is longer than the limit is passed over without
 * being held in memory and comes as `undefined`: agents' logs have lines of gigabytes.
 */
import { utf8Text } from './utf8.js';

const LF = 0x0a;

export interface InputLine {
  /** From 1. */
  readonly number: number;
  /** `undefined` where the bytes are not UTF-8, or too many. */
  readonly text: string | undefined;
  readonly isTooLong: boolean;
  /** The file ends without a line feed here: it may be being written. */
  readonly isLast: boolean;
}

export interface LineOptions {
  readonly maxBytes: number;
  /** Whether a line is worth having, by its first bytes; the others are left out. */
  isWanted?(start: Buffer): boolean;
}

/** So many bytes of a line are shown to `isWanted`. */
const START_BYTES = 512;

/** Empty lines are left out. Throws what `bytes` throws. */
export async function* inputLines(
  bytes: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<InputLine> {
  const lines = new Lines(options);
  for await (const chunk of bytes) yield* lines.take(chunk);
  yield* lines.end();
}

class Lines {
  readonly #options: LineOptions;
  #parts: Uint8Array[] = [];
  #sizeBytes = 0;
  #number = 0;
  #isDropped = false;
  /** What `isWanted` returned for the line, after its first bytes were read. */
  #verdict: boolean | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  *take(chunk: Uint8Array): Generator<InputLine> {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#keep(chunk.subarray(start, end));
      yield* this.#finish(false);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  *end(): Generator<InputLine> {
    if (this.#sizeBytes > 0) yield* this.#finish(true);
  }

  #keep(part: Uint8Array): void {
    this.#sizeBytes += part.byteLength;
    if (part.byteLength === 0 || this.#isDropped) return;
    this.#parts.push(part);
    if (this.#sizeBytes >= START_BYTES) this.#verdict ??= this.#isWanted();
    if (this.#verdict === false || this.#sizeBytes > this.#options.maxBytes) {
      this.#verdict ??= true;
      this.#isDropped = true;
      this.#parts = [];
    }
  }

  *#finish(isLast: boolean): Generator<InputLine> {
    this.#number += 1;
    const number = this.#number;
    const isTooLong = this.#sizeBytes > this.#options.maxBytes;
    const isWanted = this.#verdict ?? this.#isWanted();
    const bytes = this.#isDropped ? undefined : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#sizeBytes = 0;
    this.#isDropped = false;
    this.#verdict = undefined;
    if (!isWanted) return;
    const text = bytes && utf8Text(bytes);
    if (text !== '') yield { number, text, isTooLong, isLast };
  }

  #isWanted(): boolean {
    const { isWanted } = this.#options;
    if (isWanted === undefined) return true;
    const start: Uint8Array[] = [];
    let sizeBytes = 0;
    for (const part of this.#parts) {
      if (sizeBytes >= START_BYTES) break;
      start.push(part.subarray(0, START_BYTES));
      sizeBytes += part.byteLength;
    }
    return isWanted(Buffer.concat(start).subarray(0, START_BYTES));
  }
}

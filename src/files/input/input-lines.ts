/**
 * Reads a file of an input line by line. A line over the limit is yielded without its text and is never
 * kept in memory, because the logs of agents can have lines of gigabytes.
 */
import { utf8Text } from './utf8.js';

const LF = 0x0a;

export interface InputLine {
  /** The line number; the first line is 1. */
  readonly number: number;
  /** `undefined` if the bytes are not UTF-8, or more than `maxBytes`. */
  readonly text: string | undefined;
  readonly isTooLong: boolean;
  /** The file ends in this line, without a line feed. Another program may still be writing the line. */
  readonly isLast: boolean;
}

export interface LineOptions {
  readonly maxBytes: number;
  /** Gets the first bytes of a line (at most 512). If it returns false, the line is not yielded. */
  isWanted?(start: Buffer): boolean;
}

/** The number of bytes of a line that `isWanted` gets. */
const START_BYTES = 512;

/** Yields the lines, without the empty ones. Throws what `bytes` throws. */
export async function* inputLines(
  bytes: AsyncIterable<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<InputLine> {
  const lines = new Lines(options);
  for await (const chunk of bytes) yield* lines.take(chunk);
  yield* lines.end();
}

/** After a power failure a log may have zeros where its last bytes were. The next line follows them. */
function withoutZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (bytes[start] === 0) start += 1;
  return bytes.subarray(start);
}

class Lines {
  readonly #options: LineOptions;
  #parts: Uint8Array[] = [];
  #sizeBytes = 0;
  #number = 0;
  #isDropped = false;
  /** The result of `isWanted` for the line; `undefined` until its first bytes were read. */
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

  #keep(bytes: Uint8Array): void {
    const part = this.#sizeBytes === 0 ? withoutZeros(bytes) : bytes;
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

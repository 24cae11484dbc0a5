/**
 * Splits a byte stream into lines. The chunks of a line are joined only when it is complete, so that the
 * time is linear in its length. A line longer than `maxBytes` is dropped while it arrives;
 * stdio-connection.ts sets this limit, and answers with an error.
 */
const NEWLINE = 0x0a;

export class LineReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this chunk, without newline; `undefined` for a dropped line. */
  *push(chunk: Buffer): Generator<Buffer | undefined> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#append(chunk.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
  }

  #append(part: Buffer): void {
    this.#sizeBytes += part.byteLength;
    if (this.#sizeBytes > this.#maxBytes) this.#chunks = [];
    else if (part.byteLength > 0) this.#chunks.push(part);
  }

  #take(): Buffer | undefined {
    const line = this.#sizeBytes > this.#maxBytes ? undefined : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#sizeBytes = 0;
    return line;
  }
}

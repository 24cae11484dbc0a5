/**
 * Reads a large JSON array element by element, because some exports are one array of a gigabyte. It needs
 * as much memory as the largest element. It scans the bytes only for the ends of the elements; the caller
 * parses each element alone, so a damaged element does not affect the others.
 */
import { MAX_DOCUMENT_BYTES } from '../read/whole-file.js';
import { utf8Text } from './utf8.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

export interface JsonElement {
  /** From 0; -1 for a document that is not an array: then the whole document is the only element. */
  readonly index: number;
  /**
   * The JSON text. `undefined` if it is not UTF-8, is larger than the limit, or is incomplete at the end of
   * the file, and if other text follows a document that is not an array.
   */
  readonly text: string | undefined;
}

/** Yields the elements in order; none for an empty document. Throws what `bytes` throws. */
export async function* jsonElements(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<JsonElement> {
  const scanner = new Scanner();
  for await (const chunk of bytes) {
    yield* scanner.take(chunk);
    if (scanner.isOver) return;
  }
  yield* scanner.end();
}

class Scanner {
  #parts: Uint8Array[] = [];
  #sizeBytes = 0;
  #index = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isFirst = true;
  /** Whether the document is an array; `undefined` until the first byte that is not white space. */
  #isList: boolean | undefined;
  /** A document that is not an array has ended. Only white space may follow. */
  #isComplete = false;
  /** The rest of the bytes is ignored. */
  isOver = false;

  *take(chunk: Uint8Array): Generator<JsonElement> {
    let start = this.#isFirst ? bomLength(chunk) : 0;
    this.#isFirst = false;
    if (this.#isList === undefined) {
      const at = chunk.findIndex((byte, index) => index >= start && !isSpace(byte));
      if (at === -1) return;
      this.#isList = chunk[at] === OPEN_LIST;
      start = this.#isList ? at + 1 : at;
    }
    for (;;) {
      const end = this.#endOfElement(chunk, start);
      if (this.isOver) return yield { index: -1, text: undefined };
      this.#keep(chunk.subarray(start, end));
      if (end === chunk.byteLength) return;
      start = end + 1;
      yield* this.#finish();
      this.isOver = this.#depth < 0;
      if (this.isOver) return;
    }
  }

  /** Yields the rest: an incomplete element at the end of the file, or a document that is not an array. */
  *end(): Generator<JsonElement> {
    if (this.isOver || this.#isList === undefined) return;
    if (!this.#isList) yield { index: -1, text: this.#text() };
    else yield* this.#finish(true);
  }

  /**
   * Returns the position of the comma or bracket after the present element; the length of the chunk if the
   * element continues. The state is in local variables, because a gigabyte is read byte by byte.
   */
  #endOfElement(chunk: Uint8Array, start: number): number {
    const isList = this.#isList === true;
    let [depth, isInString, isEscaped, at] = [
      this.#depth,
      this.#isInString,
      this.#isEscaped,
      start,
    ];
    for (const { length } = chunk; at < length; at += 1) {
      const byte = chunk[at] as number;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (this.#isComplete) {
        this.isOver = !isSpace(byte);
        if (this.isOver) break;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth -= 1;
        if (isList && depth < 0) break;
        this.#isComplete = depth === 0 && !isList;
      } else if (byte === COMMA && depth === 0 && isList) break;
    }
    [this.#depth, this.#isInString, this.#isEscaped] = [depth, isInString, isEscaped];
    return at;
  }

  #keep(part: Uint8Array): void {
    this.#sizeBytes += part.byteLength;
    if (this.#isTooLarge) this.#parts = [];
    else if (part.byteLength > 0) this.#parts.push(part);
  }

  *#finish(isCut = false): Generator<JsonElement> {
    const text = this.#text();
    if (text === '') return; // an empty array, or a comma without an element
    yield { index: this.#index, text: isCut ? undefined : text };
    this.#index += 1;
  }

  get #isTooLarge(): boolean {
    return this.#sizeBytes > MAX_DOCUMENT_BYTES;
  }

  #text(): string | undefined {
    const isTooLarge = this.#isTooLarge;
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#sizeBytes = 0;
    return isTooLarge ? undefined : utf8Text(bytes);
  }
}

const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

const bomLength = (chunk: Uint8Array) =>
  BOM.equals(chunk.subarray(0, BOM.byteLength)) ? BOM.byteLength : 0;

/**
 * Reads a large JSON array element by element, because some exports are one array of a gigabyte. It needs
 * as much memory as the largest element. It scans the bytes only for the ends of the elements; the caller
 * parses each element alone, so a damaged element does not affect the others.
 */
import { MAX_DOCUMENT_BYTES } from '../read/json-doc.js';
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
export async function* jsonElements(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes = MAX_DOCUMENT_BYTES,
): AsyncGenerator<JsonElement> {
  const scanner = new Scanner(maxBytes);
  for await (const chunk of bytes) {
    yield* scanner.take(chunk);
    if (scanner.isOver) return;
  }
  yield* scanner.end();
}

class Scanner {
  readonly #maxBytes: number;
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

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *take(chunk: Uint8Array): Generator<JsonElement> {
    let start = this.#isFirst ? bomLength(chunk) : 0;
    this.#isFirst = false;
    if (this.#isList === undefined) {
      const at = chunk.findIndex((byte, index) => index >= start && !isSpace(byte));
      if (at === -1) return;
      this.#isList = chunk[at] === OPEN_LIST;
      start = this.#isList ? at + 1 : at;
    }
    for (let at = start; at < chunk.byteLength; at += 1) {
      if (this.isOver) return;
      const byte = chunk[at] as number;
      if (this.#isComplete && !isSpace(byte)) {
        this.isOver = true;
        return yield { index: -1, text: undefined };
      }
      if (!this.#endsElement(byte)) continue;
      this.#keep(chunk.subarray(start, at));
      start = at + 1;
      yield* this.#finish();
      this.isOver = this.#depth < 0;
    }
    this.#keep(chunk.subarray(start));
  }

  /** Yields the rest: an incomplete element at the end of the file, or a document that is not an array. */
  *end(): Generator<JsonElement> {
    if (this.isOver || this.#isList === undefined) return;
    if (!this.#isList) yield { index: -1, text: this.#text() };
    else yield* this.#finish(true);
  }

  #endsElement(byte: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
      return false;
    }
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      this.#depth -= 1;
      this.#isComplete = this.#depth === 0 && this.#isList === false;
      return this.#depth < 0 && this.#isList === true;
    }
    return byte === COMMA && this.#depth === 0 && this.#isList === true;
  }

  #keep(part: Uint8Array): void {
    this.#sizeBytes += part.byteLength;
    if (this.#sizeBytes > this.#maxBytes) this.#parts = [];
    else if (part.byteLength > 0) this.#parts.push(part);
  }

  *#finish(isCut = false): Generator<JsonElement> {
    const isTooLarge = this.#sizeBytes > this.#maxBytes;
    const text = this.#text();
    if (text === '' && !isTooLarge) return; // an empty array, or a comma without an element
    yield { index: this.#index, text: isCut ? undefined : text };
    this.#index += 1;
  }

  #text(): string | undefined {
    const isTooLarge = this.#sizeBytes > this.#maxBytes;
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#sizeBytes = 0;
    return isTooLarge ? undefined : utf8Text(bytes);
  }
}

const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

const bomLength = (chunk: Uint8Array) =>
  BOM.equals(chunk.subarray(0, BOM.byteLength)) ? BOM.byteLength : 0;

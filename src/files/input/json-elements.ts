/**
 * The elements of a large JSON array one by one, in memory bounded by the largest of them: exports of
 * a gigabyte are one array in one line. Bytes are only scanned for where an element ends; each is then
 * parsed by itself, so a damaged one spoils no other.
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
  /** From 0; -1 for a document that is no array, which comes as a whole. */
  readonly index: number;
  /** Its text. `undefined`: not UTF-8, over 256 MB, cut off by the end of the file, or a document with more behind it. */
  readonly text: string | undefined;
}

/** Throws what `bytes` throws. An empty document has no elements. */
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
  /** `undefined` until the first byte that is no white space. */
  #isList: boolean | undefined;
  /** A document that is no array has ended: only white space may follow. */
  #isComplete = false;
  /** Nothing of what follows counts. */
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

  /** What is left is an element that the file's end cuts off, or the document itself. */
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
    if (text === '' && !isTooLarge) return; // an empty list, or a comma too many
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

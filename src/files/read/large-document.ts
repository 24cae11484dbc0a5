/**
 * Parses a large JSON object with one long array, such as the messages of a conversation, in short steps.
 * A scanner over the bytes finds the ends of the array's elements, and JSON.parse parses a few elements at a
 * time. If the scanner does not understand the document, the caller (`documentSteps` in json-document.ts) parses
 * it as a whole, so the result is always that of JSON.parse.
 */
import { isAscii } from 'node:buffer';
import { newUuid } from '../../base/ids.js';

/** JSON.parse needs only a few milliseconds for a document that is not larger. */
export const LARGE_DOCUMENT_BYTES = 1024 * 1024;
/** The elements of one step have about this many bytes. */
const STEP_BYTES = 64 * 1024;
/** A string is scanned byte by byte up to this length. After it, `indexOf` finds the next quotation mark. */
const NEAR = 32;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Some adjacent elements of the array: `bytes.subarray(from, end)` is their text, without the brackets. */
export interface ListPart {
  readonly from: number;
  readonly end: number;
  readonly count: number;
}

/**
 * Returns the object in `bytes`, whose field `listName` is the array, and adds the positions of its elements
 * to `parts`. Returns `undefined` if the document is not such an object or is damaged; then ignore `parts`.
 */
export function* largeDocumentSteps(
  bytes: Buffer,
  listName: string,
  parts: ListPart[] = [],
): Generator<void, Record<string, unknown> | undefined> {
  const start = startOfList(bytes, Buffer.from(listName));
  if (start === undefined) return undefined;
  const elements: unknown[] = [];
  let from = start + 1;
  for (let end = from - 1; ; ) {
    end = endOfValue(bytes, end + 1);
    const isLast = bytes[end] === CLOSE_BRACKET;
    if (!isLast && bytes[end] !== COMMA) return undefined;
    if (!isLast && end - from < STEP_BYTES) continue;
    const some = elementsOf(bytes.subarray(from, end));
    if (some === undefined) return undefined;
    // There must be an element between two commas, and between a comma and the closing bracket.
    if (some.length === 0 && !(isLast && elements.length === 0)) return undefined;
    for (const each of some) elements.push(each);
    parts.push({ from, end, count: some.length });
    if (isLast) return withList(bytes, { start, end }, listName, elements);
    from = end + 1;
    yield;
  }
}

/**
 * Parses the document with a random text in place of the array, and then puts the elements there. If the
 * text is not found afterwards, the document has a second field of that name, which JSON.parse uses.
 */
function withList(
  bytes: Buffer,
  { start, end }: { start: number; end: number },
  listName: string,
  elements: unknown[],
): Record<string, unknown> | undefined {
  const placeholder = newUuid();
  const frame = Buffer.concat([
    bytes.subarray(0, start),
    Buffer.from(JSON.stringify(placeholder)),
    bytes.subarray(end + 1),
  ]);
  const value = parsed(startsWithMark(frame) ? frame.subarray(BYTE_ORDER_MARK.length) : frame);
  const document = value as Record<string, unknown> | undefined;
  if (document?.[listName] !== placeholder) return undefined;
  document[listName] = elements;
  return document;
}

/** Returns the elements in the text of a `ListPart`; `undefined` if it is not valid JSON. */
export function elementsOf(part: Buffer): unknown[] | undefined {
  const elements = parsed(part, { open: '[', close: ']' });
  return Array.isArray(elements) ? elements : undefined;
}

/** Returns `undefined` if the bytes are not UTF-8 or not JSON. */
function parsed(bytes: Buffer, { open = '', close = '' } = {}): unknown {
  try {
    // For ASCII, latin1 has the same result and is three times as fast as the decoder.
    const text = isAscii(bytes) ? bytes.toString('latin1') : DECODER.decode(bytes);
    return JSON.parse(`${open}${text}${close}`);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Returns the offset of the array that is the value of the field `name` of the outermost object. */
function startOfList(bytes: Buffer, name: Buffer): number | undefined {
  let at = afterSpace(bytes, startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0);
  if (bytes[at] !== OPEN_BRACE) return undefined;
  do {
    const key = afterSpace(bytes, at + 1);
    if (bytes[key] !== QUOTE) return undefined;
    const keyEnd = endOfString(bytes, key);
    const colon = afterSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) return undefined;
    const value = afterSpace(bytes, colon + 1);
    const isNamed = bytes.subarray(key + 1, keyEnd - 1).equals(name);
    if (isNamed && bytes[value] === OPEN_BRACKET) return value;
    at = endOfValue(bytes, value);
  } while (bytes[at] === COMMA);
  return undefined;
}

const startsWithMark = (bytes: Buffer) =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);

function afterSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) {
    at += 1;
  }
  return at;
}

/** Returns the offset of the comma or bracket after the value at `from`; the length if there is none. */
function endOfValue(bytes: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === COMMA && depth === 0) return at;
    at += 1;
  }
  return bytes.length;
}

/** Returns the offset after the string that begins at `start`; the length if the string does not end. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (;;) {
    for (const near = at + NEAR; at < near; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) at += 1;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote === -1) return bytes.length;
    if (!isEscaped(bytes, at, quote)) return quote + 1;
    at = quote + 1;
  }
}

/** Whether there is an odd number of backslashes directly before `at`, not before `from`. */
function isEscaped(bytes: Buffer, from: number, at: number): boolean {
  let first = at;
  while (first > from && bytes[first - 1] === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

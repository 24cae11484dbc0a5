/**
 * Parses and renders JSON documents that people edit. It accepts a byte-order mark and CRLF, keeps escaped lone
 * surrogates, and reports damage with its line and column. whole-file.ts reads the bytes.
 */
import { type ErrorCode, undefinedIfUnreadable } from '../../base/errors.js';
import { damagedAt, notUtf8 } from './json-problem.js';
import { LARGE_DOCUMENT_BYTES, type ListPart, largeDocumentSteps } from './large-document.js';
import { readWhole } from './whole-file.js';

/**
 * Returns the value of a JSON document. If the bytes are not UTF-8 or not JSON, it throws an error with the
 * code `damaged`, and line and column in `details`.
 */
export function parseDocument(bytes: Uint8Array, path: string, damaged: ErrorCode): unknown {
  const text = decode(bytes, path, damaged);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damagedAt(text, path, damaged, error);
  }
}

/** The bytes of a JSON document: two spaces, LF, and a final newline, so that people and git can read it. */
export const renderDocument = (value: object): Buffer =>
  Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** Returns the value of a JSON file; `undefined` if there is none. Throws like `readWhole`, and CORRUPT. */
export async function readJson(path: string): Promise<unknown> {
  const found = await readWhole(path);
  return found && parseDocument(found.bytes, path, 'CORRUPT');
}

/** Like `readJson`, but returns `undefined` for a damaged file: for a file that is not necessary. */
export const readJsonIfSound = (path: string): Promise<unknown> =>
  undefinedIfUnreadable(readJson(path), 'CORRUPT');

/**
 * Like `parseDocument`, in short steps, so that a large document does not block the event loop. The steps
 * are the parts of the array `listName` in the outermost object; `parts` has their positions in `bytes`. A
 * small, damaged or differently built document is parsed in one step, and `parts` is empty.
 */
export function* documentSteps(
  bytes: Buffer,
  listName: string,
  path: string,
  damaged: ErrorCode,
): Generator<void, { value: unknown; parts: readonly ListPart[] }> {
  const parts: ListPart[] = [];
  const isLarge = bytes.byteLength > LARGE_DOCUMENT_BYTES;
  const large = isLarge ? yield* largeDocumentSteps(bytes, listName, parts) : undefined;
  if (large !== undefined) return { value: large, parts };
  return { value: parseDocument(bytes, path, damaged), parts: [] };
}

function decode(bytes: Uint8Array, path: string, damaged: ErrorCode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw notUtf8(bytes, path, damaged, error);
  }
}

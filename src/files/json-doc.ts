/**
 * Reading JSON that people edit: a byte-order mark and CRLF are fine, half surrogate pairs in
 * escapes survive, and damage is reported with its line and column. Never writes.
 */
import { open } from 'node:fs/promises';
import { type ParseError, parse as parseTolerantly, printParseErrorCode } from 'jsonc-parser';
import { AppError, type ErrorCode } from '../base/errors.js';
import { reporting, unless } from './file-errors.js';
import { type Stamp, stampOf } from './stamp.js';

/** V8 cannot hold a string of more than about 512 MB; half of it leaves room to write it again. */
export const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

export interface ReadFile {
  bytes: Buffer;
  /** Of exactly the version that was read. */
  stamp: Stamp;
}

/** `undefined` where there is no such file. FILESYSTEM_ERROR, TOO_LARGE. */
export async function readWhole(path: string): Promise<ReadFile | undefined> {
  return reporting('read', path, async () => {
    const handle = await unless(['ENOENT', 'ENOTDIR'], open(path, 'r'));
    if (handle === undefined) return undefined;
    try {
      const stamp = stampOf(await handle.stat({ bigint: true }));
      if (stamp.size > MAX_DOCUMENT_BYTES) {
        throw new AppError('TOO_LARGE', `${path} is larger than 256 MB.`, { details: { path } });
      }
      return { bytes: await handle.readFile(), stamp };
    } finally {
      await handle.close();
    }
  });
}

/**
 * The value of a JSON document. `damaged` is the code to throw, with line and column,
 * where the bytes are not UTF-8 or not JSON.
 */
export function parseDocument(bytes: Uint8Array, path: string, damaged: ErrorCode): unknown {
  const text = decode(bytes, path, damaged);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damagedAt(text, path, damaged, error);
  }
}

function decode(bytes: Uint8Array, path: string, damaged: ErrorCode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw notUtf8(bytes, path, damaged, error);
  }
}

function notUtf8(bytes: Uint8Array, path: string, damaged: ErrorCode, cause: unknown): AppError {
  // What was replaced comes out as other bytes; a sequence that was cut short there is held back.
  const replaced = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const firstWrong = bytes.findIndex((byte, index) => byte !== replaced[index]);
  const sound = bytes.subarray(0, firstWrong === -1 ? bytes.length : firstWrong);
  const intact = new TextDecoder('utf-8').decode(sound, { stream: true });
  const details = { path, ...lineAndColumn(intact, intact.length) };
  return new AppError(damaged, `${path} is not UTF-8 text ${placeOf(details)}.`, {
    details,
    cause,
  });
}

/** JSON.parse's own message names no position in Node 20; a tolerant parser finds the first fault. */
function damagedAt(text: string, path: string, damaged: ErrorCode, cause: unknown): AppError {
  const first = text.trim() === '' ? undefined : firstFault(text);
  const details = {
    path,
    ...lineAndColumn(text, first?.offset ?? 0),
    problem: first === undefined ? 'the file is empty' : first.problem,
  };
  const message = `${path} is not valid JSON ${placeOf(details)}: ${details.problem}.`;
  return new AppError(damaged, message, { details, cause });
}

function firstFault(text: string): { offset: number; problem: string } {
  const errors: ParseError[] = [];
  try {
    parseTolerantly(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // The tolerant parser calls itself for every level; JSON.parse does not.
    if (!(error instanceof RangeError)) throw error;
    return { offset: 0, problem: 'nested too deeply' };
  }
  const [first] = errors;
  if (first === undefined) return { offset: 0, problem: 'not JSON' };
  return { offset: first.offset, problem: printParseErrorCode(first.error) };
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function placeOf({ line, column }: { line: number; column: number }): string {
  return `at line ${line}, column ${column}`;
}

/**
 * Reads a file or a stream line by line, in bounded memory. Only LF or CRLF ends a line. node:readline is
 * not used, because it also breaks at U+2028, which may occur unescaped in JSON strings.
 */
import type { Readable } from 'node:stream';
import { AppError, errnoOf } from '../../base/errors.js';
import { streamDecrypted } from '../age-encryption.js';
import { fileError } from '../file-errors.js';
import { MAX_DOCUMENT_BYTES } from './whole-file.js';

const LF = 0x0a;

export interface Line {
  /** The line number; the first line is 1. */
  readonly number: number;
  /** `undefined` if the bytes are not UTF-8. */
  readonly text: string | undefined;
}

/**
 * `source`: the path of a file, which may be an age file, or a stream. Empty lines are skipped.
 * FILESYSTEM_ERROR (also if there is no file), TOO_LARGE for a line over 256 MB, DECRYPT.
 */
export async function* readLines(source: string | Readable): AsyncGenerator<Line> {
  let number = 0;
  for await (const bytes of rawLines(source)) {
    number += 1;
    const text = decode(bytes);
    if (text !== '') yield { number, text };
  }
}

const nameOf = (source: string | Readable) =>
  typeof source === 'string' ? source : 'the standard input';

async function* rawLines(source: string | Readable): AsyncGenerator<Buffer> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunksOf(source)) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      yield Buffer.concat([...parts.splice(0), chunk.subarray(start, end)]);
      sizeBytes = 0;
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
    sizeBytes += chunk.byteLength - start;
    if (sizeBytes > MAX_DOCUMENT_BYTES) {
      const path = nameOf(source);
      throw new AppError('TOO_LARGE', `${path} has a line of more than 256 MB.`, {
        details: { path },
      });
    }
  }
  yield Buffer.concat(parts);
}

async function* chunksOf(source: string | Readable): AsyncGenerator<Buffer> {
  try {
    const stream = typeof source === 'string' ? streamDecrypted(source) : source;
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw errnoOf(error) === undefined ? error : fileError(error, 'read', nameOf(source));
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.endsWith('\r') ? text.slice(0, -1) : text;
  } catch {
    return undefined; // the decoder throws only for bytes that are not UTF-8
  }
}

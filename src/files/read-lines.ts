/**
 * The lines of a text, a file's or another stream's, one by one, in bounded memory. Only LF ends a line (a CR before it goes
 * with it): node:readline also breaks at U+2028, which JSON strings may hold as it is.
 */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { AppError, errnoOf } from '../base/errors.js';
import { fileError } from './file-errors.js';
import { MAX_DOCUMENT_BYTES } from './json-doc.js';

const LF = 0x0a;

export interface Line {
  /** From 1. */
  readonly number: number;
  /** `undefined` where the bytes are not UTF-8. */
  readonly text: string | undefined;
}

/**
 * `source`: the path of a file, or what is read. Empty lines are left out. FILESYSTEM_ERROR, also where
 * there is no file; TOO_LARGE for one line over 256 MB.
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
      throw new AppError('TOO_LARGE', `${path} has a line of over 256 MB.`, { details: { path } });
    }
  }
  yield Buffer.concat(parts);
}

async function* chunksOf(source: string | Readable): AsyncGenerator<Buffer> {
  try {
    const stream = typeof source === 'string' ? createReadStream(source) : source;
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
    return undefined; // the decoder throws for nothing else
  }
}

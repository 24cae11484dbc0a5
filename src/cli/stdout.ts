/**
 * Long text on its way to the standard output, as fast as the reader takes it: exactly as it is into
 * a pipe or a file, safe for the screen on a terminal.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../base/errors.js';
import { escapeLines } from './terminal-text.js';

/** Resolves when all is written, or the reader, such as `head`, has enough. Throws what `text` throws. */
export async function toStdout(text: AsyncIterable<string>): Promise<void> {
  const shown = process.stdout.isTTY ? safe(text) : text;
  try {
    await pipeline(Readable.from(shown), process.stdout, { end: false });
  } catch (error) {
    if (errnoOf(error) !== 'EPIPE') throw error;
  }
}

/** Pieces of a text, each safe to print. */
export async function* safe(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of text) yield escapeLines(piece);
}

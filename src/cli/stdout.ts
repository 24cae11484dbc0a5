/**
 * Long text on its way to the standard output, as fast as the reader takes it: exactly as it is into
 * a pipe or a file, safe for the screen on a terminal.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../base/errors.js';
import { fileError } from '../files/file-errors.js';
import { escapeLines } from './terminal-text.js';

/** From now on the command ends where nobody reads on, such as `head`, and fails where nothing can be written. */
export function watchStdout(failed: number): void {
  process.stdout.on('error', (error) => {
    if (errnoOf(error) === 'EPIPE') process.exit(0);
    tellLost(error);
    process.exit(failed);
  });
}

/** The same for a command that is carried out to the end all the same, and fails then. */
export function watchReport(failed: number): void {
  let isTold = false;
  process.stdout.on('error', (error) => {
    if (errnoOf(error) === 'EPIPE' || isTold) return;
    isTold = true;
    tellLost(error);
    process.exitCode = failed;
  });
}

const tellLost = (error: unknown) =>
  console.error(`daybook: ${fileError(error, 'write', 'the output').message}`);

/** Resolves when all is written, or the reader, such as `head`, has enough. Throws what `text` throws. */
export async function toStdout(text: AsyncIterable<string>): Promise<void> {
  const shown = process.stdout.isTTY ? safe(text) : text;
  try {
    await pipeline(Readable.from(shown), process.stdout, { end: false });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== 'EPIPE')
      throw errno === undefined ? error : fileError(error, 'write', 'the output');
  }
}

/** Pieces of a text, each safe to print. */
export async function* safe(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of text) yield escapeLines(piece);
}

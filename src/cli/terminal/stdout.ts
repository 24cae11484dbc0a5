/**
 * Long text on its way to the standard output, as fast as the reader takes it: exactly as it is into
 * a pipe or a file, safe for the screen on a terminal.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../../base/errors.js';
import { fileError } from '../../files/read/file-errors.js';
import { FAILED } from '../status.js';
import { escapeLines } from './terminal-text.js';

/** From now on the command ends when its reader, such as `head`, has gone, and fails where nothing can be written. */
export function watchStdout(): void {
  process.stdout.on('error', (error) => {
    if (errnoOf(error) === 'EPIPE') process.exit(0);
    reportLost(error);
    process.exit(FAILED);
  });
}

/** The same for a command that finishes its work all the same, and fails then. */
export function watchReport(): void {
  let isReported = false;
  process.stdout.on('error', (error) => {
    if (errnoOf(error) === 'EPIPE' || isReported) return;
    isReported = true;
    reportLost(error);
    process.exitCode = FAILED;
  });
}

const reportLost = (error: unknown) =>
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

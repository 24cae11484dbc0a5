/** Writes long text to the standard output, as fast as its reader. It is escaped only on a terminal. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../../base/errors.js';
import { fileError } from '../../files/file-errors.js';
import { FAILED } from '../errors/exit-status.js';
import { escapeLines } from './terminal-text.js';

/** Ends the command with 0 if the reader (such as `head`) closes the pipe, and with 2 if writing fails. */
export function watchStdout(): void {
  process.stdout.on('error', (error) => {
    if (errnoOf(error) === 'EPIPE') process.exit(0);
    reportLost(error);
    process.exit(FAILED);
  });
}

/** For a command that finishes its work even if its output cannot be written; then its status is 2. */
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

/** Resolves when all text is written or the reader has closed the pipe. Throws the errors of `text`. */
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

/** Escapes each piece for a terminal. */
async function* safe(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of text) yield escapeLines(piece);
}

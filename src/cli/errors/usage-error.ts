/** Errors in arguments and options that commander finds: their exit status and their texts. */
import { AppError } from '../../base/errors.js';
import { escapeLines } from '../terminal/terminal-text.js';
import { FAILED, OK } from './exit-status.js';
import { isJsonWanted, writeJsonError } from './failure.js';

/** Ends with FAILED for wrong arguments, as for other errors. */
export const endCommand = ({ exitCode }: { exitCode: number }): never =>
  process.exit(exitCode === 0 ? OK : FAILED);

/** The message of commander. */
const WRONG_ARGUMENT =
  /command-argument value ('.*') is invalid for argument '(.*?)'\. Allowed choices are (.*)\.$/m;

/** Writes a sentence with `write`, or with --json an object to stdout as for all other errors. */
export function writeUsageError(text: string, write: (text: string) => void): void {
  const plain = text.replace(WRONG_ARGUMENT, '$2 must be one of $3, not $1.');
  if (!isJsonWanted()) {
    write(escapeLines(plain.replace(/^error: /, 'daybook: '))); // as all other errors
    return;
  }
  const [message = '', similar] = plain
    .replace(/^error: /, '')
    .trim()
    .split('\n');
  const hint =
    similar?.replace(/^\((.*)\)$/, '$1') ??
    'To see its arguments and options, run the command with --help.';
  writeJsonError(new AppError('VALIDATION_ERROR', message, { hint }));
}

/** Writes help for people to stderr; nothing with --json. */
export function writeForPeople(text: string): void {
  if (!isJsonWanted()) process.stderr.write(text);
}

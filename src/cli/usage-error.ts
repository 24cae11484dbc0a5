/** Errors in arguments and options that commander finds: their exit status, and their form with --json. */
import { AppError } from '../base/errors.js';
import { FAILED, OK } from './exit-status.js';
import { terminalJson } from './terminal/terminal-text.js';

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
    write(plain);
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

/** Writes an error as JSON to stdout. `texts` replaces its message and hint. */
export function writeJsonError(
  { code, number, message, hint, retryable, details }: AppError,
  texts: { readonly message: string; readonly hint: string } = { message, hint },
): void {
  const error = { code, number, ...texts, retryable, ...(details && { details }) };
  console.log(terminalJson({ success: false, error }));
}

/** True if the command line has --json. It is read before commander parses the command line. */
export const isJsonWanted = (): boolean => {
  const words = process.argv.slice(2);
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).includes('--json');
};

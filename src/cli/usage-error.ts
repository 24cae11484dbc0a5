/** Mistakes in the use of a command, which commander finds: their status, and their form with --json. */
import { AppError } from '../base/errors.js';
import { FAILED, OK } from './status.js';
import { terminalJson } from './terminal/terminal-text.js';

/** Wrong use is an error like any other. */
export const endCommand = ({ exitCode }: { exitCode: number }): never =>
  process.exit(exitCode === 0 ? OK : FAILED);

/** How commander says it. */
const WRONG_ARGUMENT =
  /command-argument value ('.*') is invalid for argument '(.*?)'\. Allowed choices are (.*)\.$/m;

/** A sentence on stderr; with --json an object on stdout, as for every other error. */
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

/** What people read after a mistake, which is no part of the JSON. */
export function writeForPeople(text: string): void {
  if (!isJsonWanted()) process.stderr.write(text);
}

/** The form of every error with --json; `texts` in place of its own. */
export function writeJsonError(
  { code, number, message, hint, retryable, details }: AppError,
  texts: { readonly message: string; readonly hint: string } = { message, hint },
): void {
  const error = { code, number, ...texts, retryable, ...(details && { details }) };
  console.log(terminalJson({ success: false, error }));
}

/** Whether the command line asks for JSON; decided before commander has understood it. */
export const isJsonWanted = (): boolean => {
  const words = process.argv.slice(2);
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).includes('--json');
};

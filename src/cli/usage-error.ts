/** Mistakes in the use of a command, which commander finds: their status, and their form with --json. */
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
  const plain = text.replace(WRONG_ARGUMENT, '$2 takes one of $3; $1 is none of them.');
  if (!isJsonWanted()) {
    write(plain);
    return;
  }
  if (!text.startsWith('error:')) return; // the pointer to the help, which people read
  const message = plain.replace(/^error: /, '').trim();
  const error = { code: 'VALIDATION_ERROR', message };
  console.log(terminalJson({ success: false, error }));
}

/** Whether the command line asks for JSON; decided before commander has understood it. */
export const isJsonWanted = (): boolean => {
  const words = process.argv.slice(2);
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).includes('--json');
};

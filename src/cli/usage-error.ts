/** Mistakes in the use of a command, which commander finds: their status, and their form with --json. */
import { FAILED, OK } from './status.js';
import { terminalJson } from './terminal/terminal-text.js';

/** Wrong use is an error like any other. */
export const endCommand = ({ exitCode }: { exitCode: number }): never =>
  process.exit(exitCode === 0 ? OK : FAILED);

/** A sentence on stderr; with --json an object on stdout, as for every other error. */
export function writeUsageError(text: string, write: (text: string) => void): void {
  if (!isJsonWanted()) {
    write(text);
    return;
  }
  if (!text.startsWith('error:')) return; // the pointer to the help, which people read
  const message = text.replace(/^error: /, '').trim();
  const error = { code: 'VALIDATION_ERROR', message };
  console.log(terminalJson({ success: false, error }));
}

/** Whether the command line asks for JSON; decided before commander has understood it. */
export const isJsonWanted = (): boolean => {
  const words = process.argv.slice(2);
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).includes('--json');
};

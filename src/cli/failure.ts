/** Prints errors: a sentence and a hint for people, or JSON for programs. */
import { type AppError, isAppError } from '../base/errors.js';
import { statusOf } from './exit-status.js';
import { escapeControls, terminalJson } from './terminal/terminal-text.js';
import type { OptionNames } from './tools/command-names.js';

/**
 * Prints the error and sets the exit status. Throws every error that is not an AppError. `options`: the
 * command's option for each field that the message can name.
 */
export async function reportFailure(error: unknown, options?: OptionNames): Promise<void> {
  if (!isAppError(error)) throw error;
  const { message, hint } = await forPeople(error, options);
  process.exitCode = statusOf(error);
  if (isJsonWanted()) {
    writeJsonError(error, { message, hint });
    return;
  }
  console.error(`daybook: ${escapeControls(message)}\n  ${escapeControls(hint)}`);
}

async function forPeople(error: AppError, options?: OptionNames) {
  const { hintForPeople, withCommandNames } = await import('./tools/command-names.js'); // needs all tools
  return {
    message: withCommandNames(error.message, options),
    hint: hintForPeople(error, options),
  };
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

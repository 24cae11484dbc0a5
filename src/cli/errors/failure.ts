/** Prints errors: a sentence and a hint for people, or JSON for programs. */
import { type AppError, isAppError } from '../../base/errors.js';
import type { Flags } from '../options/configuration.js';
import { escapeControls, terminalJson } from '../terminal/terminal-text.js';
import type { OptionNames } from '../tools/command-names.js';
import { statusOf } from './exit-status.js';

/**
 * Prints the error and sets the exit status. Throws every error that is not an AppError. Commands in the hint
 * get the root of `flags`. `options`: the command's option for each field that the message can name.
 */
export async function reportFailure(
  error: unknown,
  flags: Flags,
  options?: OptionNames,
): Promise<void> {
  if (!isAppError(error)) throw error;
  const { message, hint } = await forPeople(error, flags, options);
  process.exitCode = statusOf(error);
  if (isJsonWanted()) {
    writeJsonError(error, { message, hint });
    return;
  }
  console.error(`daybook: ${escapeControls(message)}\n  ${escapeControls(hint)}`);
}

async function forPeople(error: AppError, flags: Flags, options?: OptionNames) {
  const { hintForPeople, withCommandNames } = await import('../tools/command-names.js'); // needs all tools
  const hint = hintForPeople(error, options);
  return {
    message: withCommandNames(error.message, options),
    hint: await hintWithRoot(flags, hint),
  };
}

/** The hint as it is if the root is not known, because a setting is wrong. */
async function hintWithRoot(flags: Flags, hint: string): Promise<string> {
  const { withRoot } = await import('../terminal/command-line.js');
  try {
    return withRoot(flags, hint);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return hint;
  }
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

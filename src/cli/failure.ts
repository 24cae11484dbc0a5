/** A failure, told to people in a sentence and what to do about it. */
import { type AppError, isAppError } from '../base/errors.js';
import type { OptionNames } from './command-words.js';
import { escapeControls } from './terminal-text.js';

/** Prints to stderr and sets the exit status. Anything but an AppError is thrown again. */
export async function tellFailure(
  error: unknown,
  status: number,
  options?: OptionNames,
): Promise<void> {
  if (!isAppError(error)) throw error;
  const { message, hint } = await inWordsOf(error, options);
  console.error(`daybook: ${escapeControls(message)}\n  ${escapeControls(hint)}`);
  process.exitCode = status;
}

/** Messages of other codes quote paths and texts, which stay as they are. */
async function inWordsOf({ code, message, hint }: AppError, options?: OptionNames) {
  const { inCommandWords } = await import('./command-words.js'); // needs all tools
  const isOfInput = code === 'VALIDATION_ERROR';
  return {
    message: isOfInput ? inCommandWords(message, options) : message,
    hint: inCommandWords(hint, options),
  };
}

/** Questions to the user at the terminal. */
import { createInterface } from 'node:readline/promises';
import { AppError } from '../../base/errors.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';

/** True if there is a terminal on which the user can answer. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** True for `y` or `yes`; false for other answers and at the end of input. Throws CANCELLED at Ctrl-C. */
export async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await new Promise<string>((resolve, reject) => {
      lines.once('close', () => resolve(''));
      lines.once('SIGINT', () => reject(stopped()));
      lines.question(`${question} [y/N] `).then(resolve, reject);
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/**
 * Calls `show`, then asks like `confirm`. If the answer is not yes, it prints `done` and sets the exit status
 * 1. Throws like `requireTerminal`.
 */
export async function confirmOrEnd(
  question: string,
  done: string,
  show: () => void = () => undefined,
): Promise<boolean> {
  requireTerminal(done);
  show();
  if (await confirm(question)) return true;
  console.error(done);
  process.exitCode = NOTHING_FOUND;
  return false;
}

/** VALIDATION_ERROR without a terminal. Its hint contains `done` (what was done) and `or` (another way). */
export function requireTerminal(done: string, or = ''): void {
  if (canAsk()) return;
  throw new AppError('VALIDATION_ERROR', 'Daybook cannot ask, because there is no terminal.', {
    hint: `${done} Run the command again with --yes${or}.`,
  });
}

function stopped(): AppError {
  return new AppError('CANCELLED', 'Stopped.', {
    hint: 'The changes that you confirmed before were made. Nothing else was changed.',
  });
}

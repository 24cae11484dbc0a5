/** Questions to the user at the terminal. */
import { createInterface } from 'node:readline/promises';
import { AppError } from '../../base/errors.js';
import { NOTHING_FOUND } from '../exit-status.js';

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

/** Like `confirm`. After another answer than yes, it prints `done`, and the command ends with 1. */
export async function confirmOrEnd(question: string, done: string): Promise<boolean> {
  if (await confirm(question)) return true;
  console.error(done);
  process.exitCode = NOTHING_FOUND;
  return false;
}

/** Throws VALIDATION_ERROR without a terminal. `done`: a sentence about what was done, for the hint. */
export function requireTerminal(done: string): void {
  if (canAsk()) return;
  throw new AppError('VALIDATION_ERROR', 'Daybook cannot ask, because there is no terminal.', {
    hint: `${done} Run the command again with --yes.`,
  });
}

function stopped(): AppError {
  return new AppError('CANCELLED', 'Stopped.', {
    hint: 'The changes that you confirmed before were made. Nothing else was changed.',
  });
}

/** Opens a path or a URL with the default program of the system. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { AppError } from '../../base/errors.js';

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** Resolves when the program has started. Throws VALIDATION_ERROR if it cannot be started. */
export async function openWithDefaultProgram(target: string): Promise<void> {
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  const child = spawn(opener, [target], { stdio: 'ignore', detached: true });
  try {
    await once(child, 'spawn');
    child.unref();
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', `The program ${opener} could not be started.`, {
      hint: 'To print the path, add --print to the command.',
      cause,
    });
  }
}

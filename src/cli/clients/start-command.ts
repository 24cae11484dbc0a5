/**
 * The command with which a client on this machine starts Daybook: for the entries that `daybook init` writes,
 * and for people, who see it in `store_info` and on the page of an empty store.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StoreFacts } from '../../app/store-facts.js';
import { AppError, isAppError } from '../../base/errors.js';
import { shellLine } from './shell-line.js';

/** How a client starts Daybook. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The paths of Node.js and of this command's main file. */
const thisProgram = () => ({
  node: process.execPath,
  main: resolve(process.argv[1] ?? fileURLToPath(import.meta.url)),
});

/**
 * The command with which a client starts this installation for `root`. Its paths are absolute, because a
 * desktop program does not have the PATH of a shell, and another author could publish a package with
 * the bare name. Throws VALIDATION_ERROR for a copy in the cache of npx, which npm can delete at any time.
 */
export function startCommand(root: string, { node, main } = thisProgram()): StartCommand {
  if (!/[/\\]_npx[/\\]/.test(main)) return { command: node, args: [main, '--root', root] };
  throw new AppError('VALIDATION_ERROR', `This copy of Daybook is in the cache of npx (${main}).`, {
    hint: 'npm may delete that copy. Install Daybook permanently with npm install --global, then run daybook init.',
  });
}

/** Precede the name of the client in the command of a hook. */
export const HOOK_WORDS = ['session-start', '--hook'];

/** The command of the session hook of a client, for the root of `start`. */
export function hookCommand(client: string, { command, args }: StartCommand): StartCommand {
  const [main = '', ...options] = args;
  const root = options.indexOf('--root');
  return { command, args: [main, ...HOOK_WORDS, client, ...options.slice(root, root + 2)] };
}

/** For `store_info` and the page of an empty store. Without `start` if clients cannot start this copy. */
export function startFacts(root: string): Pick<StoreFacts, 'start'> {
  try {
    const { command, args } = startCommand(root);
    const { main } = thisProgram();
    const startLine = shellLine([command, ...args]);
    const initLine = shellLine([command, main, 'init', root]);
    return { start: { command, args, startLine, initLine } };
  } catch (error) {
    if (isAppError(error)) return {};
    throw error;
  }
}

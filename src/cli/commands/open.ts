/** `daybook open`: shows the folder of a conversation, or the root, in the system's file manager. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { AppError } from '../../base/errors.js';
import type { Flags } from '../configuration.js';
import { findConversation } from '../find-conversation.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** Prints the path as well, or only that with `print`. */
export async function open(
  name: string,
  { print = false }: { print?: boolean },
  flags: Flags,
): Promise<void> {
  await withApp(
    flags,
    async ({ conversations, facts }) => {
      const path =
        name === '' ? facts.root : conversations.path(await findConversation(conversations, name));
      console.log(process.stdout.isTTY ? escapeControls(path) : path);
      if (!print) await openFolder(path);
    },
    { isReading: true },
  );
}

async function openFolder(path: string): Promise<void> {
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  const child = spawn(opener, [path], { stdio: 'ignore', detached: true });
  try {
    await once(child, 'spawn');
    child.unref();
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', `The program ${opener} could not be started.`, {
      hint: 'daybook open --print prints the path.',
      cause,
    });
  }
}

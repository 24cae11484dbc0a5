/**
 * `daybook open <conversation>` and `daybook open --folder`: shows the folder of a conversation, or the root,
 * in the file manager of the system.
 */

import { findConversation } from '../arguments/find-conversation.js';
import type { Flags } from '../options/configuration.js';
import { openWithDefaultProgram } from '../terminal/default-program.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withReadingApp } from '../with-app.js';

/** Prints the path and opens it; with `print` only prints it. An empty name means the root. */
export async function openFolder(
  name: string,
  { print = false }: { print?: boolean },
  flags: Flags,
): Promise<void> {
  await withReadingApp(flags, async ({ conversations, facts }) => {
    const path =
      name === '' ? facts.root : conversations.path(await findConversation(conversations, name));
    console.log(process.stdout.isTTY ? escapeControls(path) : path);
    if (!print) await openWithDefaultProgram(path);
  });
}

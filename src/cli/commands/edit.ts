/**
 * `daybook edit`: opens the file of a conversation in the user's editor and checks it afterwards. It
 * repairs nothing and shows problems with line and column.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { countOf } from '../../base/display-text.js';
import { AppError, isAppError } from '../../base/errors.js';
import { editorCommand } from '../../config/environment.js';
import { isSameStamp, readStamp } from '../../files/read/stamp.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import type { Flags } from '../configuration.js';
import { findConversation } from '../find-conversation.js';
import { lendTerminal } from '../terminal/interrupts.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

/**
 * A damaged file can be opened by its complete id. Throws CONVERSATION_CORRUPTED if the file is damaged
 * after the editor has ended.
 */
export async function edit(name: string, flags: Flags): Promise<void> {
  await withApp(flags, async ({ conversations }) => {
    const id = await idOf(conversations, name);
    const path = join(conversations.path(id), 'conversation.json');
    const before = await readStamp(path);
    await runEditor(path);
    const { messageCount } = await conversations.load(id).catch((error: unknown) => {
      throw isAppError(error, 'CONVERSATION_CORRUPTED') ? damagedNow(error, id) : error;
    });
    const what = isSameStamp(before, await readStamp(path)) ? 'not changed' : 'readable';
    console.log(escapeControls(`${path}: ${countOf(messageCount, 'message')}, ${what}.`));
  });
}

/** The hint has the id, because the key in a damaged file cannot be read. */
const damagedNow = ({ code, message, details }: AppError, id: string) =>
  new AppError(code, message, {
    hint: `To correct it, run: daybook edit ${id}`,
    ...(details && { details }),
  });

async function idOf(store: ConversationStore, name: string): Promise<string> {
  try {
    return await findConversation(store, name);
  } catch (error) {
    const isDamaged = isAppError(error, 'CONVERSATION_CORRUPTED') && CONVERSATION_ID.test(name);
    if (isDamaged) return name;
    throw error;
  }
}

/** Exit status of a shell that cannot run or cannot find the command. */
const NOT_STARTED: readonly unknown[] = [126, 127];

async function runEditor(path: string): Promise<void> {
  const command = editorCommand();
  // The shell splits EDITOR into words. The path is an argument, so it cannot be run as shell code.
  const [file, args] =
    process.platform === 'win32'
      ? [`${command} "${path}"`, []]
      : ['/bin/sh', ['-c', `${command} "$1"`, command, path]];
  const editor = spawn(file, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  const [code] = await lendTerminal(() => once(editor, 'close'));
  if (code === 0) return;
  throw new AppError('VALIDATION_ERROR', `The editor (${command}) ended with status ${code}.`, {
    hint: NOT_STARTED.includes(code)
      ? 'Set EDITOR to the command of your editor.'
      : 'Daybook did not undo the changes of the editor. To check the file, run daybook doctor.',
  });
}

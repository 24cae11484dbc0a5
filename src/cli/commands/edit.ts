/**
 * `daybook edit`: opens the file of a conversation in the user's editor and checks it afterwards. The
 * file is the user's: nothing is repaired, but problems are shown with their line and column.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { AppError, isAppError } from '../../base/errors.js';
import { editorCommand } from '../../config/terminal-programs.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/schema.js';
import type { Flags } from '../configuration.js';
import { findConversation } from '../find-conversation.js';
import { lendTerminal } from '../terminal/interrupts.js';
import { countOf } from '../terminal/output.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

/** A damaged file opens too, by its complete id. CONVERSATION_CORRUPTED where it is damaged afterwards. */
export async function edit(name: string, flags: Flags): Promise<void> {
  await withApp(flags, async ({ conversations }) => {
    const id = await idOf(conversations, name);
    const path = join(conversations.path(id), 'conversation.json');
    await runEditor(path);
    const { messageCount } = await conversations.load(id);
    console.log(escapeControls(`${path}: ${countOf(messageCount, 'message')}, readable.`));
  });
}

async function idOf(store: ConversationStore, name: string): Promise<string> {
  try {
    return await findConversation(store, name);
  } catch (error) {
    const isDamaged = isAppError(error, 'CONVERSATION_CORRUPTED') && CONVERSATION_ID.test(name);
    if (isDamaged) return name;
    throw error;
  }
}

async function runEditor(path: string): Promise<void> {
  const command = editorCommand();
  // The shell splits a command with options; the path goes in as an argument, never as shell text.
  const [file, args] =
    process.platform === 'win32'
      ? [`${command} "${path}"`, []]
      : ['/bin/sh', ['-c', `${command} "$1"`, command, path]];
  const editor = spawn(file, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  const [code] = await lendTerminal(() => once(editor, 'close'));
  if (code === 0) return;
  throw new AppError('VALIDATION_ERROR', `The editor (${command}) ended with status ${code}.`, {
    hint: 'Set EDITOR to the command of your editor.',
  });
}

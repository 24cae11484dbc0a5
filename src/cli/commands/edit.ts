/**
 * `daybook edit`: opens a copy of a conversation's file in the user's editor, and stores it when the editor
 * has ended. If the text is not a valid conversation, it is not stored, and the copy is kept.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { systemClock } from '../../base/clock.js';
import { AppError, isAppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { editorCommand } from '../../config/environment.js';
import { writeTemporaryFile } from '../../files/input/temporary-file.js';
import { readWholeAtOnce } from '../../files/read/whole-file.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { EditOutcome, OpenedFile } from '../../stores/conversations/writing/editor-copy.js';
import { findAlsoDamaged } from '../arguments/find-conversation.js';
import type { Flags } from '../options/configuration.js';
import { canAsk, confirm } from '../terminal/confirm.js';
import { lendTerminal } from '../terminal/interrupts.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

/** An editor that ends sooner, without a change, has probably only opened a window. */
const SOON_MS = 1_000;

const DONE: Record<EditOutcome, string> = {
  unchanged: 'not changed',
  saved: 'saved',
  joined: 'saved. Messages that were added while the editor was open are at the end',
};

/** A damaged file can be opened by its complete id. Throws what `EditorCopies` throws. */
export async function edit(name: string, flags: Flags): Promise<void> {
  await withApp(flags, async ({ conversations }) => {
    const id = await findAlsoDamaged(conversations, name);
    const opened = await conversations.editorCopies.open(id);
    const outcome = await editCopy(conversations, opened);
    const path = join(conversations.path(id), 'conversation.json');
    const { messageCount } = await conversations.load(id);
    console.log(escapeControls(`${path}: ${countOf(messageCount, 'message')}, ${DONE[outcome]}.`));
  });
}

/** The copy is removed when its text is stored or is the same as before. */
async function editCopy(store: ConversationStore, opened: OpenedFile): Promise<EditOutcome> {
  const copy = await writeTemporaryFile('conversation.json', Readable.from([opened.bytes]));
  try {
    for (;;) {
      const startedAtMs = systemClock.monotonic();
      await runEditor(copy.path);
      try {
        const outcome = await store.editorCopies.save(opened, copy.path);
        if (outcome === 'unchanged' && systemClock.monotonic() - startedAtMs < SOON_MS) {
          console.error(
            'The editor ended immediately. If its window is still open, close it, and set EDITOR to a command that waits until the file is closed, such as: code --wait',
          );
        }
        await copy.remove();
        return outcome;
      } catch (error) {
        if (!isAppError(error, 'CONVERSATION_CORRUPTED') || !canAsk()) throw error;
        console.error(escapeControls(error.message));
        if (!(await confirm('The text is not stored. Edit it again?'))) throw error;
      }
    }
  } catch (error) {
    const left = await readWholeAtOnce(copy.path);
    if (left === undefined || left.bytes.equals(opened.bytes)) await copy.remove();
    else {
      // Not as the hint of the error: for a deleted conversation, the command shows how to restore it instead.
      const text = `The conversation was not changed. Your text is in ${copy.path}`;
      console.error(escapeControls(text));
    }
    throw error;
  }
}

/** Exit status of a shell that cannot run or cannot find the command. */
const NOT_STARTED: readonly unknown[] = [126, 127];

async function runEditor(path: string): Promise<void> {
  const command = editorCommand();
  if (command === 'vi' && !(process.stdin.isTTY && process.stdout.isTTY)) {
    throw new AppError('VALIDATION_ERROR', 'The editor vi needs a terminal.', {
      hint: 'Nothing was changed. Run the command in a terminal, or set EDITOR to a command that needs none.',
    });
  }
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
      : 'Nothing was changed.',
  });
}

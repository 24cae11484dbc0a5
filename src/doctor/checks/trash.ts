/**
 * Checks the trash: conversations, insights and notes in it that cannot be read. They are notes for the user,
 * because nobody uses a deleted item. Nothing is repaired here: a restored item is repaired like any other.
 */
import { join } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import { type AppError, isAppError } from '../../base/errors.js';
import { listFolders } from '../../files/paths/folders.js';
import {
  TRASHED_CONVERSATION,
  trashFolderIn,
} from '../../stores/conversations/files/trashed-ids.js';
import type { ConversationRepairer } from '../../stores/conversations/repair/conversation-repairer.js';
import type { InsightStore } from '../../stores/insights/insights.js';
import type { MemoryBank } from '../../stores/memory-bank/memory-bank.js';
import { readNote } from '../../stores/memory-bank/note-catalogue.js';
import { type Check, type CheckContext, type Found, orFinding } from '../check.js';

export interface TrashParts {
  readonly logsFolder: string;
  readonly repairer: ConversationRepairer;
  readonly insights: InsightStore;
  readonly memoryBank: MemoryBank;
}

export const trashCheck = (parts: TrashParts): Check => ({
  name: 'trash',
  async run(context) {
    const { found } = context;
    const folder = trashFolderIn(parts.logsFolder);
    const ofBank = join(parts.memoryBank.folder, '.trash');
    await orFinding(found, folder, () => checkConversations(folder, parts.repairer, context));
    await orFinding(found, ofBank, () => checkInsights(ofBank, parts.insights, context));
    await orFinding(found, ofBank, () => checkNotes(ofBank, parts.memoryBank, context));
  },
});

async function checkConversations(
  folder: string,
  repairer: ConversationRepairer,
  { countChecked, found, signal }: CheckContext,
): Promise<void> {
  const slice = new TimeSlice({ signal });
  for (const name of await listFolders(folder)) {
    const id = TRASHED_CONVERSATION.exec(name)?.[1];
    if (id === undefined) continue;
    signal.throwIfAborted();
    countChecked();
    const path = join(folder, name, 'conversation.json');
    try {
      const condition = await repairer.examine(id, path);
      if (condition === undefined) found(withoutConversation(path));
      else if (condition.damage !== undefined) {
        found(damaged(condition.damage, path, name, hintOf(name, condition.salvageable)));
      }
    } catch (error) {
      if (!isAppError(error)) throw error;
      found(damaged(error, path, name));
    }
    if (slice.isSpent()) await slice.yield();
  }
}

async function checkInsights(
  folder: string,
  insights: InsightStore,
  { countChecked, found }: CheckContext,
): Promise<void> {
  for (const { name, damage } of await insights.trashed()) {
    countChecked();
    if (damage !== undefined) found(damaged(damage, join(folder, 'insights', name), name));
  }
}

async function checkNotes(
  folder: string,
  bank: MemoryBank,
  { countChecked, found, signal }: CheckContext,
): Promise<void> {
  for (const { name } of await bank.trashed()) {
    signal.throwIfAborted();
    countChecked();
    try {
      await readNote(folder, name);
    } catch (error) {
      if (!isAppError(error)) throw error;
      found(damaged(error, join(folder, name), name));
    }
  }
}

const hintOf = (name: string, salvageable: number): string =>
  salvageable === 0
    ? `No message of it can be saved. A backup may have the conversation. ${IF_NOT_NEEDED}`
    : `If you need it, run daybook trash restore ${name}, then daybook doctor --repair, which saves its complete messages (${salvageable}). ${IF_NOT_NEEDED}`;

const IF_NOT_NEEDED = 'If you do not need it, nothing has to be done.';

const damaged = (
  { code, message, hint }: AppError,
  path: string,
  name: string,
  ownHint = `If you need it, run daybook trash restore ${JSON.stringify(name)}, then daybook doctor. ${IF_NOT_NEEDED}`,
): Found => ({
  severity: 'note',
  path,
  message,
  hint: code === 'FORMAT_TOO_NEW' || code === 'FILESYSTEM_ERROR' ? hint : ownHint,
});

const withoutConversation = (path: string): Found => ({
  severity: 'note',
  path,
  message: 'The folder of a deleted conversation has no file conversation.json.',
  hint: 'It cannot be restored. If you do not need its other files, daybook trash empty removes the folder with everything else in the trash.',
});

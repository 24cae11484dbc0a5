/** Finds what dead processes left (locks, temporary files, interrupted removals), and files in the place of locks. */
import { join } from 'node:path';
import { foldersWithTemporaries } from '../../files/atomic/left-temporaries.js';
import { leftBehindIn, sweepTemporaries } from '../../files/atomic/staging.js';
import {
  heldLocks,
  inPlaceOfLeases,
  inPlaceOfLocks,
  leftInLocks,
} from '../../files/locks/held-locks.js';
import { sweepLocks } from '../../files/locks/leftover-locks.js';
import { STALE_AFTER_MS } from '../../files/locks/stale-owner.js';
import { listFolders, removeFile } from '../../files/paths/folders.js';
import { PENDING_REMOVAL } from '../../files/trash/trash-folder.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { type Check, type CheckContext, orFinding, unreadable } from '../check.js';

export interface LeftoverFolders {
  readonly locksFolders: readonly string[];
  readonly leasesFolder: string;
  /** The folders that may contain temporary files. */
  readonly folders: readonly string[];
  /** Folders that may contain them at any depth. */
  readonly trees: readonly string[];
  readonly trashFolder: string;
  readonly conversations: ConversationStore;
}

export const leftoverCheck = (folders: LeftoverFolders): Check => ({
  name: 'leftovers',
  async run(context) {
    const part = (path: string, check: () => Promise<void>) =>
      orFinding(context.found, path, check);
    for (const folder of folders.locksFolders)
      await part(folder, () => checkLocks(folder, context));
    await part(folders.leasesFolder, () => checkLeases(folders.leasesFolder, context));
    const all = new Set(folders.folders);
    for (const tree of folders.trees)
      await part(tree, async () => {
        for (const folder of await foldersWithTemporaries(tree)) all.add(folder);
      });
    for (const folder of all) await part(folder, () => checkTemporaries(folder, context));
    await part(folders.trashFolder, () => checkTrash(folders, context));
  },
});

async function checkLocks(folder: string, { countChecked, found }: CheckContext): Promise<void> {
  for (const { name, path, state, pid } of await heldLocks(folder)) {
    countChecked();
    if (state === 'living') continue;
    found({
      severity: state === 'dead' ? 'note' : 'warning',
      path,
      message:
        state === 'dead'
          ? `Process ${pid} has ended without removing its lock ${name}.`
          : `The owner of the lock ${name}, process ${pid} of another machine or container, has not been active for ${STALE_AFTER_MS / 1000} seconds.`,
      hint:
        state === 'dead'
          ? 'The next process that writes removes it, or run daybook doctor --repair.'
          : `To check and remove it, run daybook unlock ${name}.`,
      ...(state === 'dead' && { repair: () => sweep(folder) }),
    });
  }
  for (const path of await leftInLocks(folder)) {
    countChecked();
    found({
      severity: 'note',
      path,
      message: 'A process that ended left this file of a lock.',
      hint: 'The next server removes it when it starts, or run daybook doctor --repair.',
      repair: () => sweep(folder),
    });
  }
  for (const { path, error } of await inPlaceOfLocks(folder)) {
    countChecked();
    found({
      severity: 'warning',
      path,
      message: `${error.message} Every write that needs this lock fails.`,
      hint: 'The folder of the locks contains no data. daybook doctor --repair removes what is in the place of the lock.',
      repair: async () => {
        await removeFile(path);
        return 'It was removed. The next write makes the lock.';
      },
    });
  }
}

async function checkLeases(folder: string, { countChecked, found }: CheckContext): Promise<void> {
  for (const { path, error } of await inPlaceOfLeases(folder)) {
    countChecked();
    found({
      ...unreadable(error, path),
      severity: 'warning',
      message: `${error.message} The work that needs this lease, such as a daily backup, is not done.`,
    });
  }
}

const sweep = async (folder: string) => {
  await sweepLocks(folder);
  return 'The locks that ended processes left were removed.';
};

async function checkTemporaries(
  folder: string,
  { countChecked, found }: CheckContext,
): Promise<void> {
  for (const path of await leftBehindIn(folder)) {
    countChecked();
    found({
      severity: 'note',
      path,
      message: 'A write that was interrupted left this temporary file.',
      hint: 'It has no data that was reported as saved. daybook doctor --repair removes it.',
      repair: async () => {
        await sweepTemporaries(folder);
        return 'The temporary file was removed.';
      },
    });
  }
}

async function checkTrash(
  { trashFolder, conversations }: LeftoverFolders,
  { countChecked, found }: CheckContext,
): Promise<void> {
  for (const name of await listFolders(trashFolder)) {
    countChecked();
    if (!name.startsWith(PENDING_REMOVAL)) continue;
    found({
      severity: 'note',
      path: join(trashFolder, name),
      message: 'A permanent removal was interrupted.',
      hint: 'Daybook does not read the files that are left. daybook doctor --repair finishes the removal.',
      repair: async () => {
        await conversations.tidy();
        return 'The removal was finished.';
      },
    });
  }
}

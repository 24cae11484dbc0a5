/**
 * Reports a folder of a conversation without its file. A process that ended, or a person, made it. A repair removes
 * it if it contains no file, or only attachments that were copied for a branch that was not written.
 */
import { basename, dirname, join } from 'node:path';
import { entriesOf, listFolders, removeEmptyFolder } from '../../files/paths/folders.js';
import { modifiedMs, readStamp, type Stamp } from '../../files/read/stamp.js';
import { walkFiles } from '../../files/read/walk-files.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import {
  attachmentsIn,
  hasSameAttachments,
  removeAttachments,
} from '../../stores/conversations/files/attachments.js';
import { ABANDONED_MS } from '../../stores/conversations/startup-cleanup.js';
import type { CheckContext, Found } from '../check.js';

/** `found` gets at most one finding; none for a folder that is younger than ABANDONED_MS. FILESYSTEM_ERROR. */
export async function checkAbandonedFolder(
  folder: string,
  found: CheckContext['found'],
  now: number,
): Promise<void> {
  if (await isYoung(folder, now)) return;
  if (await isWithoutFiles(folder)) {
    return found(withoutFiles(folder, (await entriesOf(folder)).length === 0));
  }
  const source = await copiedFrom(folder);
  found(source === undefined ? otherFiles(folder) : onlyCopies(folder, source));
}

const withoutFiles = (path: string, isEmpty: boolean): Found => ({
  severity: 'note',
  path,
  message: isEmpty ? 'The folder is empty.' : 'The folder contains no file, only empty folders.',
  hint: isEmpty
    ? 'A process that ended left it. The next server removes it when it starts, or run daybook doctor --repair.'
    : 'To remove it, run daybook doctor --repair.',
  repair: () => remove(path),
});

const otherFiles = (path: string): Found => ({
  severity: 'warning',
  path,
  message: 'The folder has other files, but no conversation.json.',
  hint: 'Check the files. If conversation.json was lost, a backup may contain it.',
});

const onlyCopies = (path: string, source: string): Found => ({
  severity: 'note',
  path,
  message: `The folder has no conversation.json, only copies of attachments of ${source}.`,
  hint: 'A process ended while it made a branch. To remove the copies, run daybook doctor --repair.',
  async repair() {
    const isStill = (await copiedFrom(path)) !== undefined;
    if (!isStill) return 'The folder has other files now. It was not changed.';
    await removeAttachments(path);
    return remove(path);
  },
});

const remove = async (folder: string) =>
  (await removeEmptyFolders(folder)) ? 'The folder was removed.' : 'The folder is in use.';

/** Removes no file. Returns true if the folder does not exist afterwards. */
async function removeEmptyFolders(folder: string): Promise<boolean> {
  for (const name of await listFolders(folder)) await removeEmptyFolders(join(folder, name));
  return removeEmptyFolder(folder);
}

async function isWithoutFiles(folder: string): Promise<boolean> {
  for await (const _ of walkFiles(folder, () => false)) return false;
  return true;
}

/** Whether something in the folder is so new that a process may still write the conversation. */
async function isYoung(folder: string, now: number): Promise<boolean> {
  const stamps = await Promise.all([folder, attachmentsIn(folder)].map(readStamp));
  const isNew = (stamp: Stamp) => Math.abs(now - modifiedMs(stamp)) < ABANDONED_MS;
  return stamps[0] === undefined || stamps.some((stamp) => stamp && isNew(stamp));
}

/** Returns the id of a conversation that has all of the files too, if the folder has only attachments. */
async function copiedFrom(folder: string): Promise<string | undefined> {
  const [entry, ...others] = await entriesOf(folder);
  if (entry?.name !== basename(attachmentsIn(folder)) || others.length > 0) return undefined;
  if (!entry.isDirectory()) return undefined;
  const logsFolder = dirname(folder);
  for (const id of await listFolders(logsFolder)) {
    const source = join(logsFolder, id);
    const isOther = CONVERSATION_ID.test(id) && source !== folder;
    if (!isOther || (await readStamp(join(source, 'conversation.json'))) === undefined) continue;
    if (await hasSameAttachments(folder, source)) return id;
  }
  return undefined;
}

/**
 * What a start clears away: what dead processes left half-way, and
 * versions past their bounds. Leftovers of live
 * processes are never touched.
 */
import { systemClock } from '../../base/clock.js';
import { sweepTemporaries } from '../../files/atomic/staging.js';
import { sweepLocks } from '../../files/locks/file-lock.js';
import { listFolders, removeEmptyFolder } from '../../files/paths/folders.js';
import { readStamp } from '../../files/read/stamp.js';
import type { ConversationTrash } from './conversation-trash.js';
import { CONVERSATION_ID } from './document/schema.js';
import type { StoreCore } from './store-core.js';
import type { VersionFiles } from './versions/version-files.js';
import type { Merges } from './writing/merges.js';

/** Longer than any creator takes between its folder and its file. */
const ABANDONED_MS = 10 * 60_000;

export async function cleanUpStore(
  { locksFolder, options, files }: StoreCore,
  merges: Merges,
  trash: ConversationTrash,
  versions: VersionFiles,
): Promise<void> {
  await sweepLocks(locksFolder);
  await sweepTemporaries(options.logsFolder);
  await merges.recover();
  await trash.tidy();
  for (const name of await listFolders(options.logsFolder)) {
    if (!CONVERSATION_ID.test(name)) continue;
    await versions.bound(name);
    const isUnfinished = (await readStamp(files.fileOf(name))) === undefined;
    if (isUnfinished && (await isAbandoned(files.folderOf(name)))) {
      await removeEmptyFolder(files.folderOf(name));
    }
  }
}

/** Whether no process can be about to write the conversation for which it made this folder. */
async function isAbandoned(folder: string): Promise<boolean> {
  const stamp = await readStamp(folder);
  if (stamp === undefined) return false;
  return systemClock.now() - Number(stamp.mtimeNs / 1_000_000n) > ABANDONED_MS;
}

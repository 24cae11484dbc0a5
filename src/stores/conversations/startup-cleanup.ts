/**
 * The cleanup at the start of a process. It removes what dead processes left (files/locks/leftover-locks.ts,
 * files/atomic/staging.ts), and versions beyond their limits. Files of live processes are not changed. For the
 * memory bank, `MemoryBank.tidy` does this.
 */
import { basename, join } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import { systemClock } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { sweepTemporariesBelow } from '../../files/atomic/left-temporaries.js';
import { isTemporaryName, sweepTemporaries } from '../../files/atomic/staging.js';
import { sweepLocks } from '../../files/locks/leftover-locks.js';
import { LEASES_FOLDER } from '../../files/locks/lock-folders.js';
import { entriesNow, listFolders, removeEmptyFolder } from '../../files/paths/folders.js';
import { modifiedMs, readStamp } from '../../files/read/stamp.js';
import type { ConversationTrash } from './conversation-trash.js';
import { CONVERSATION_ID } from './document/conversation-id.js';
import { attachmentsIn } from './files/attachments.js';
import type { StoreCore } from './store-core.js';
import type { VersionFiles } from './versions/version-files.js';
import type { Merges } from './writing/merges.js';

/** No process needs this long between the creation of the folder and of its file. */
export const ABANDONED_MS = 10 * 60_000;

/**
 * A folder of a conversation that cannot be read, such as one of another user, does not end the cleanup of the
 * others. With `background`, it leaves most of the time to other work, such as the first calls of a server, and throws
 * the signal's reason when it is aborted.
 */
export async function cleanUpStore(
  core: StoreCore,
  merges: Merges,
  trash: ConversationTrash,
  versions: VersionFiles,
  background?: { readonly signal: AbortSignal },
): Promise<void> {
  const { locksFolder, options, log } = core;
  await sweepLocks(locksFolder);
  await sweepTemporaries(options.logsFolder);
  await sweepTemporaries(join(options.logsFolder, LEASES_FOLDER));
  await merges.recover();
  await trash.tidy();
  const slice = new TimeSlice({
    readsDisk: true,
    isBackground: background !== undefined,
    ...background,
  });
  for (const name of await listFolders(options.logsFolder)) {
    if (!CONVERSATION_ID.test(name)) continue;
    if (slice.isSpent()) await slice.yield();
    try {
      await cleanUpConversation(name, core, versions);
    } catch (error) {
      if (!isAppError(error, 'FILESYSTEM_ERROR')) throw error;
      log.warn({ err: error }, 'leftovers of a conversation were not removed');
    }
  }
}

async function cleanUpConversation(
  name: string,
  { files }: StoreCore,
  versions: VersionFiles,
): Promise<void> {
  const folder = files.folderOf(name);
  const entries = new Set(entriesNow(folder).map((entry) => entry.name));
  if ([...entries].some(isTemporaryName)) await sweepTemporaries(folder);
  if (entries.has(basename(attachmentsIn(folder))))
    await sweepTemporariesBelow(attachmentsIn(folder));
  if (entries.has(basename(versions.folderOf(name)))) {
    await sweepTemporaries(versions.folderOf(name));
    await versions.prune(name);
  }
  if (!entries.has(basename(files.fileOf(name))) && (await isAbandoned(folder))) {
    await removeEmptyFolder(folder);
  }
}

/** Whether the folder is so old that no process is still about to write its conversation. */
async function isAbandoned(folder: string): Promise<boolean> {
  const stamp = await readStamp(folder);
  return stamp !== undefined && systemClock.now() - modifiedMs(stamp) > ABANDONED_MS;
}

/** The names of deleted conversations in the trash: `<conversation id>.<UTC time of deletion>`. */
import { join } from 'node:path';
import { listFolders } from '../../../files/paths/folders.js';

/** A folder that a person moved there may have another suffix of letters, digits, `.`, `_`, `-`, or none. */
export const TRASHED_CONVERSATION = /^(\d{8}-\d{13})(?:\.([\w.-]{1,100}))?$/;

export const trashFolderIn = (logsFolder: string): string => join(logsFolder, '.trash');

/**
 * The ids of the conversations in the trash. A new conversation must not get one of them, because the
 * deleted conversation could then not be restored. Empty if the trash cannot be read.
 */
export async function trashedIds(logsFolder: string): Promise<ReadonlySet<string>> {
  const names = await listFolders(trashFolderIn(logsFolder)).catch(() => []);
  return new Set(names.flatMap((name) => TRASHED_CONVERSATION.exec(name)?.[1] ?? []));
}

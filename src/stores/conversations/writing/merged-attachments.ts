/**
 * Copies the attachments of the sources of a merge to the merged conversation. Otherwise they would be lost
 * when the sources are removed from the trash.
 */
import { dirname, join } from 'node:path';
import { sha256Stream } from '../../../base/ids.js';
import { type Durability, makeFolder } from '../../../files/atomic/atomic-write.js';
import { writeNewFile } from '../../../files/atomic/new-file-stream.js';
import { removeFolder } from '../../../files/paths/folders.js';
import { folderSize } from '../../../files/read/folder-size.js';
import { readStamp } from '../../../files/read/stamp.js';
import { walkFiles } from '../../../files/read/walk-files.js';
import { openHandle } from '../../../files/safe-access/open-regular.js';

const attachmentsIn = (folder: string) => join(folder, 'attachments');

/** `folder` is that of a conversation. FILESYSTEM_ERROR. */
export const attachmentBytes = async (folder: string): Promise<number> =>
  (await folderSize(attachmentsIn(folder))).sizeBytes;

/**
 * Copies the attachments of a conversation as they are stored: encrypted files stay encrypted. If another file
 * has the name already, the copy is in a folder named by the id of the source. Files that were copied before
 * are not copied again. Durable when it resolves. STORAGE_FULL, FILESYSTEM_ERROR.
 */
export async function mergeAttachments(
  source: { readonly conversationId: string; readonly folder: string },
  into: string,
  durability: Durability,
): Promise<void> {
  for await (const { name, path, isPlain } of walkFiles(
    attachmentsIn(source.folder),
    () => false,
  )) {
    if (!isPlain) continue;
    const targets = [name, join(source.conversationId, name)];
    for (const target of targets.map((each) => join(attachmentsIn(into), each))) {
      if ((await readStamp(target)) === undefined) {
        await makeFolder(dirname(target));
        await writeNewFile(target, contentOf(path), durability);
        break;
      }
      if ((await hashOf(target)) === (await hashOf(path))) break;
    }
  }
}

/** Removes all attachments of a conversation. FILESYSTEM_ERROR. */
export const removeAttachments = (folder: string): Promise<void> =>
  removeFolder(attachmentsIn(folder));

async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  const handle = await openHandle(path);
  yield* handle.createReadStream();
}

async function hashOf(path: string): Promise<string> {
  const hash = sha256Stream();
  for await (const chunk of contentOf(path)) hash.update(chunk);
  return hash.hex();
}

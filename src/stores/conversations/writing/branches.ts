/**
 * Creates a branch. The attachments that the messages of the branch name are copied into its folder before its
 * `conversation.json` exists, so the branch has all of them from its beginning.
 */

import { yieldToEventLoop } from '../../../base/async/time-slice.js';
import { newUuid } from '../../../base/ids.js';
import { totalBytes } from '../../../base/total-bytes.js';
import { type HeldLock, withLock } from '../../../files/locks/file-lock.js';
import { removeEmptyFolder } from '../../../files/paths/folders.js';
import { readStamp } from '../../../files/read/stamp.js';
import type { Conversation } from '../document/schema.js';
import { copyAttachmentsTo, namedAttachments, removeAttachments } from '../files/attachments.js';
import type { StoreCore } from '../store-core.js';
import { branchOf, type CopyOptions } from './branch-and-merge-content.js';
import type { ConversationWriter } from './writer.js';

/** Throws like `ConversationStore.branch`. */
export async function createBranch(
  core: StoreCore,
  writer: ConversationWriter,
  source: Conversation,
  messageId: string,
  { signal, ...options }: CopyOptions,
): Promise<Conversation> {
  await yieldToEventLoop(signal);
  const { files, options: store, locksFolder } = core;
  const { fields, messages } = branchOf(source, messageId);
  const given = await core.maskedFields(options);
  const attachments = await namedAttachments(files.folderOf(source.conversationId), messages);
  await store.requireRoom?.(totalBytes(attachments));
  const claimed: string[] = [];
  const beforeWrite = async (id: string) => {
    claimed.push(id); // may be called again for another id
    await copyAttachmentsTo(files.folderOf(id), attachments, store);
  };
  const create = async (lock: HeldLock) => {
    const requests = [{ messages, options: {} }];
    return writer.createWith(lock, { ...fields, ...given }, requests, { beforeWrite });
  };
  try {
    return (await withLock(locksFolder, `new-${newUuid()}`, create)).snapshot();
  } finally {
    for (const id of claimed) await removeUnwritten(core, id);
  }
}

/** Removes the folder of a branch whose file was not written. */
async function removeUnwritten({ files }: StoreCore, id: string): Promise<void> {
  if ((await readStamp(files.fileOf(id))) !== undefined) return;
  await removeAttachments(files.folderOf(id));
  await removeEmptyFolder(files.folderOf(id));
}

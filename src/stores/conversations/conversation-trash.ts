/**
 * Deleted conversations: `.trash/<conversation id>.<UTC time of deletion>/`, the whole folder of the
 * conversation. All moves happen under the conversation's lock.
 */

import { join } from 'node:path';
import { AppError, isAppError, undefinedIfUnreadable } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import type { JsonObject } from '../../base/json-fields.js';
import { withLock } from '../../files/locks/file-lock.js';
import { readJson } from '../../files/read/json-document.js';
import { readStamp } from '../../files/read/stamp.js';
import { type TrashEntry, TrashFolder } from '../../files/trash/trash-folder.js';
import { readJob } from '../research-jobs/research-job-schema.js';
import { idTaken, notFound } from './conversation-errors.js';
import { requireRef } from './document/conversation-id.js';
import type { ConversationHead } from './document/schema.js';
import { TRASHED_CONVERSATION, trashFolderIn } from './files/trashed-ids.js';
import type { StoreCore } from './store-core.js';
import { removeKey } from './writing/drop-taken-key.js';
import { withKeyLock } from './writing/key-lock.js';

export interface TrashedConversation {
  /** The name of the folder in the trash. */
  readonly name: string;
  readonly conversationId: string;
  /** Absent if a person moved the folder here. */
  readonly deletedAt?: string;
  /** The client key of the conversation. */
  readonly clientId?: string;
  /** Absent if the file cannot be read. */
  readonly title?: string;
  readonly messageCount?: number;
  readonly metadata?: JsonObject;
  /** The size of all files in the folder. */
  readonly sizeBytes: number;
}

export interface Restored {
  readonly conversationId: string;
  /** The client key that was removed from the conversation, because another conversation has it now. */
  readonly droppedKey?: string;
}

export class ConversationTrash {
  readonly #core: StoreCore;
  readonly #entries: TrashFolder;

  constructor(core: StoreCore) {
    const { options, clock } = core;
    this.#core = core;
    this.#entries = new TrashFolder({
      folder: trashFolderIn(options.logsFolder),
      durability: options,
      clock,
      holds: 'folders',
      originalOf: (name) => TRASHED_CONVERSATION.exec(name)?.[1],
    });
  }

  /** Returns the absolute path of the folder with this name in the trash. */
  pathOf(name: string): string {
    return this.#entries.pathOf(name);
  }

  /**
   * Returns the name in the trash. CONVERSATION_NOT_FOUND, CONFLICT (a research run is active). A write of
   * another process that waits for the lock gets CONVERSATION_NOT_FOUND.
   */
  trash(conversationId: string): Promise<string> {
    return withLock(this.#core.locksFolder, conversationId, async () => {
      await this.requireDeletable(conversationId);
      return this.moveIn(conversationId);
    });
  }

  /**
   * Like `trash`, if `condition` returns true under the lock; otherwise returns `undefined`. With
   * `permanent` the conversation is removed permanently, and its id is returned.
   */
  trashIf(
    conversationId: string,
    condition: (head: ConversationHead) => boolean | Promise<boolean>,
    { permanent = false }: { permanent?: boolean } = {},
  ): Promise<string | undefined> {
    return withLock(this.#core.locksFolder, conversationId, async () => {
      const found = await this.#core.files.readUncached(conversationId);
      if (found === undefined) throw notFound(conversationId);
      if (!(await condition(found.document.head))) return undefined;
      await this.requireDeletable(conversationId);
      if (!permanent) return this.moveIn(conversationId);
      await this.#removePermanently(conversationId);
      return conversationId;
    });
  }

  /** Removes the conversation permanently. Throws like `trash`. */
  async remove(conversationId: string): Promise<void> {
    await withLock(this.#core.locksFolder, conversationId, async () => {
      await this.requireDeletable(conversationId);
      await this.#removePermanently(conversationId);
    });
    this.#core.options.onForgotten?.(conversationId);
  }

  /** Must be called under the conversation's lock, because `job.json` is written under it. */
  async requireDeletable(conversationId: string): Promise<void> {
    const { files } = this.#core;
    const isThere = (await readStamp(files.fileOf(conversationId))) !== undefined;
    if (!isThere) throw notFound(conversationId);
    if (!(await isResearching(join(files.folderOf(conversationId), 'job.json')))) return;
    throw new AppError(
      'CONFLICT',
      `A deep research is running in conversation ${conversationId}. Its answer would be lost.`,
      {
        hint: 'Wait until `get_conversation_history` shows the answer, then repeat this call.',
        details: { conversationId },
      },
    );
  }

  /** Must be called under the conversation's lock. Returns the name in the trash. */
  async moveIn(conversationId: string): Promise<string> {
    try {
      const from = this.#core.files.folderOf(conversationId);
      const name = await this.#entries.moveIn(from, conversationId);
      if (name === undefined) throw notFound(conversationId);
      return name;
    } finally {
      await this.#core.reload(conversationId);
    }
  }

  /** Undoes `moveIn`, under the same lock. `name`: what it returned. */
  async moveBack(conversationId: string, name: string): Promise<void> {
    await this.#entries.moveOut(name, this.#core.files.folderOf(conversationId));
    await this.#core.reload(conversationId);
  }

  /** Lists the trash, the last deleted first. Reads the file of each conversation. */
  async list(): Promise<TrashedConversation[]> {
    const found: TrashedConversation[] = [];
    for (const entry of await this.#entries.list()) found.push(await this.#describe(entry));
    return found;
  }

  /** The number of conversations in the trash. Reads no file. */
  count(): Promise<number> {
    return this.#entries.count();
  }

  /**
   * Restores the folder with this name; for an id or a key, the one that was deleted last. Durable when it
   * resolves. CONVERSATION_NOT_FOUND (not in the trash), ALREADY_EXISTS (a conversation has this id).
   */
  async restore(ref: string): Promise<Restored> {
    const { name, conversationId } = await (TRASHED_CONVERSATION.test(ref)
      ? this.#find(ref)
      : this.#findKey(ref));
    const clientId = (await this.#headOf(name, conversationId))?.clientId;
    if (clientId === undefined) return this.#restore(name, conversationId);
    return withKeyLock(this.#core.locksFolder, clientId, async () => {
      await this.#core.catalogue.refresh();
      const isTaken = this.#core.catalogue.idOfKey(clientId) !== undefined;
      return this.#restore(name, conversationId, isTaken ? clientId : undefined);
    });
  }

  /** Removes this name permanently; for an id, the one deleted last. CONVERSATION_NOT_FOUND. */
  async purge(nameOrId: string): Promise<void> {
    const { name, conversationId } = await this.#find(nameOrId);
    await withLock(this.#core.locksFolder, conversationId, async () => {
      if (!(await this.#entries.remove(name))) throw notInTrash(name);
    });
    this.#core.options.onForgotten?.(conversationId);
  }

  /** Finishes removals that were interrupted. */
  tidy(): Promise<void> {
    return this.#entries.tidy();
  }

  async #removePermanently(conversationId: string): Promise<void> {
    try {
      const folder = this.#core.files.folderOf(conversationId);
      if (!(await this.#entries.removeUnlisted(folder))) throw notFound(conversationId);
    } finally {
      await this.#core.reload(conversationId);
    }
  }

  async #restore(name: string, conversationId: string, droppedKey?: string): Promise<Restored> {
    const { files, options } = this.#core;
    await options.requireRoom?.();
    return withLock(this.#core.locksFolder, conversationId, async (lock) => {
      try {
        const outcome = await this.#entries.moveOut(
          name,
          files.folderOf(conversationId),
          async () => {
            if (droppedKey === undefined) return;
            const path = join(this.pathOf(name), 'conversation.json');
            await removeKey(this.#core, conversationId, path, lock);
          },
        );
        if (outcome === 'taken') throw idTaken(conversationId, name);
        if (outcome === 'absent') throw notInTrash(name);
      } finally {
        await this.#core.reload(conversationId);
      }
      return defined({ conversationId, droppedKey });
    });
  }

  async #find(nameOrId: string): Promise<{ name: string; conversationId: string }> {
    if (!TRASHED_CONVERSATION.test(nameOrId)) {
      throw new AppError(
        'VALIDATION_ERROR',
        `${JSON.stringify(nameOrId.slice(0, 150))} is neither the id of a conversation nor a name in the trash.`,
      );
    }
    const found = await this.#entries.find(nameOrId);
    if (found === undefined) throw notInTrash(nameOrId);
    return { name: found.name, conversationId: found.original };
  }

  async #findKey(key: string): Promise<{ name: string; conversationId: string }> {
    requireRef(key);
    const found = (await this.list()).find(({ clientId }) => clientId === key);
    if (found === undefined) throw notInTrash(key);
    return found;
  }

  async #describe({ name, original, deletedAt, sizeBytes }: TrashEntry) {
    const { clientId, title, messageCount, metadata } = (await this.#headOf(name, original)) ?? {};
    const known = { deletedAt, clientId, title, messageCount, metadata };
    return { name, conversationId: original, ...defined(known), sizeBytes };
  }

  /** Returns `undefined` for a damaged file. It can still be restored and purged. */
  async #headOf(name: string, conversationId: string): Promise<ConversationHead | undefined> {
    const path = join(this.pathOf(name), 'conversation.json');
    const read = this.#core.files.readUncached(conversationId, path);
    return (await undefinedIfUnreadable(read))?.document.head;
  }
}

/**
 * A job file without a readable job, such as a link or one that is encrypted with another key, does not
 * prevent the move. It is moved with the folder. FILESYSTEM_ERROR.
 */
async function isResearching(path: string): Promise<boolean> {
  try {
    const value = await readJson(path);
    if (value === undefined) return false;
    const { state } = readJob(value, path);
    return state === 'creating' || state === 'running';
  } catch (error) {
    if (isAppError(error) && error.code !== 'FILESYSTEM_ERROR') return false;
    throw error;
  }
}

function notInTrash(nameOrId: string): AppError {
  return new AppError('CONVERSATION_NOT_FOUND', `${nameOrId} is not in the trash.`, {
    hint: 'List what is in the trash with `list_trash`, and use a name from that list.',
    details: { conversationId: nameOrId },
  });
}

/**
 * The trash: `.trash/<conversation id>.<UTC time of deletion>/`, each the whole folder of a
 * conversation, moved there by one rename under the conversation's lock. The name holds the time, so
 * no crash can separate the two. Only `purge` removes anything from here.
 */
import { join } from 'node:path';
import { AppError, isAppError } from '../../../base/errors.js';
import { randomHex } from '../../../base/ids.js';
import { makeFolder } from '../../../files/atomic/atomic-write.js';
import {
  claimFolder,
  listFolders,
  moveFolder,
  removeEmptyFolder,
  removeFolder,
} from '../../../files/paths/folders.js';
import { folderSize } from '../../../files/read/folder-size.js';
import { parseDocument, readWhole } from '../../../files/read/json-doc.js';
import { readStamp } from '../../../files/read/stamp.js';
import { readJob } from '../../research-jobs/research-jobs.js';
import type { ConversationHead, JsonObject } from '../document/schema.js';
import { lockOfKey, notFound, requireRef } from '../refs.js';
import type { StoreCore } from '../store-core.js';
import { deletedAtOf, idOf, TRASH_NAME, trashNameOf } from './trash-names.js';

/** Names of folders that are being removed permanently. Nothing reads them. */
const PENDING_DELETE = /^\.tmp-/;

export interface TrashedConversation {
  /** Name of the folder in the trash. */
  readonly name: string;
  readonly conversationId: string;
  /** Absent if a person moved the folder here. */
  readonly deletedAt?: string;
  /** The key that it was saved under. */
  readonly clientId?: string;
  /** Absent if the file cannot be read. */
  readonly title?: string;
  readonly messageCount?: number;
  readonly metadata?: JsonObject;
  /** Of all files in the folder. */
  readonly sizeBytes: number;
}

export interface Restored {
  readonly conversationId: string;
  /** The key that it lost, because another conversation has it by now. */
  readonly droppedKey?: string;
}

export class Trash {
  readonly #core: StoreCore;
  readonly #folder: string;

  constructor(core: StoreCore) {
    this.#core = core;
    this.#folder = join(core.options.logsFolder, '.trash');
  }

  pathOf(name: string): string {
    return join(this.#folder, name);
  }

  /** Takes an id. Returns the name in the trash. CONVERSATION_NOT_FOUND, CONFLICT (research under way). */
  trash(conversationId: string): Promise<string> {
    return this.#core.lock(conversationId, async () => {
      await this.requireDeletable(conversationId);
      return this.moveIn(conversationId);
    });
  }

  /** The same, or with `permanent` for good, where `condition` holds under the lock; else `undefined`. */
  trashIf(
    conversationId: string,
    condition: (head: ConversationHead) => boolean | Promise<boolean>,
    { permanent = false }: { permanent?: boolean } = {},
  ): Promise<string | undefined> {
    return this.#core.lock(conversationId, async () => {
      const found = await this.#core.files.readUncached(conversationId);
      if (found === undefined) throw notFound(conversationId);
      if (!(await condition(found.document.head))) return undefined;
      await this.requireDeletable(conversationId);
      if (!permanent) return this.moveIn(conversationId);
      await this.#removeFolder(this.#core.files.folderOf(conversationId), conversationId);
      return conversationId;
    });
  }

  /** The same, but permanently. */
  remove(conversationId: string): Promise<void> {
    return this.#core.lock(conversationId, async () => {
      await this.requireDeletable(conversationId);
      await this.#removeFolder(this.#core.files.folderOf(conversationId), conversationId);
    });
  }

  /** To be called under the conversation's lock, as `job.json` is written under it. */
  async requireDeletable(conversationId: string): Promise<void> {
    const { files } = this.#core;
    const isThere = (await readStamp(files.fileOf(conversationId))) !== undefined;
    if (!isThere) throw notFound(conversationId);
    if (!(await isResearching(join(files.folderOf(conversationId), 'job.json')))) return;
    throw new AppError(
      'CONFLICT',
      `A research run of conversation ${conversationId} has not ended; its answer would be lost.`,
      {
        hint: 'Wait until `get_conversation_history` shows the answer, then delete.',
        details: { conversationId },
      },
    );
  }

  /** Under the conversation's lock. */
  async moveIn(conversationId: string): Promise<string> {
    const { files, options, clock } = this.#core;
    await makeFolder(this.#folder);
    const from = files.folderOf(conversationId);
    try {
      for (let ms = clock.now(); ; ms += 1) {
        const name = trashNameOf(conversationId, ms);
        const outcome = await moveFolder(from, this.pathOf(name), options);
        if (outcome === 'absent') throw notFound(conversationId);
        if (outcome === 'moved') return name;
      }
    } finally {
      await this.#core.reload(conversationId);
    }
  }

  /** Undoes `moveIn`, under the same lock. */
  async moveBack(name: string): Promise<void> {
    const { files, options } = this.#core;
    await moveFolder(this.pathOf(name), files.folderOf(idOf(name)), options);
    await this.#core.reload(idOf(name));
  }

  /** The last deleted first. */
  async list(): Promise<TrashedConversation[]> {
    const names = (await listFolders(this.#folder)).filter((name) => TRASH_NAME.test(name));
    const found: TrashedConversation[] = [];
    for (const name of names) found.push(await this.#describe(name));
    return found.sort((a, b) => ((a.deletedAt ?? '') < (b.deletedAt ?? '') ? 1 : -1));
  }

  /**
   * Brings back the folder of that name, or of an id or a key the last deleted. CONVERSATION_NOT_FOUND:
   * not in the trash; ALREADY_EXISTS: there is a conversation with its id.
   */
  async restore(ref: string): Promise<Restored> {
    const name = await (TRASH_NAME.test(ref) ? this.#find(ref) : this.#findKey(ref));
    const conversationId = idOf(name);
    const clientId = (await this.#headOf(name))?.clientId;
    if (clientId === undefined) return this.#restore(name, conversationId);
    return this.#core.lock(lockOfKey(clientId), async () => {
      await this.#core.catalogue.refresh();
      const isTaken = this.#core.catalogue.idOfKey(clientId) !== undefined;
      return this.#restore(name, conversationId, isTaken ? clientId : undefined);
    });
  }

  /** Permanently removes the conversation of that name in the trash; for an id, the one deleted last. CONVERSATION_NOT_FOUND. */
  async purge(nameOrId: string): Promise<void> {
    const name = await this.#find(nameOrId);
    await this.#core.lock(idOf(name), () => this.#removeFolder(this.pathOf(name), idOf(name)));
  }

  /** Finishes removals that ended half-way. */
  async tidy(): Promise<void> {
    for (const name of await listFolders(this.#folder)) {
      if (PENDING_DELETE.test(name)) await removeFolder(this.pathOf(name));
    }
  }

  /** Renames the folder first, so that no reader finds half a conversation. */
  async #removeFolder(path: string, conversationId: string): Promise<void> {
    await makeFolder(this.#folder);
    const pending = this.pathOf(`.tmp-${randomHex(8)}`);
    try {
      const outcome = await moveFolder(path, pending, this.#core.options);
      if (outcome === 'absent') throw notFound(conversationId);
    } finally {
      await this.#core.reload(conversationId);
    }
    await removeFolder(pending);
  }

  #restore(name: string, conversationId: string, droppedKey?: string): Promise<Restored> {
    const { files, options } = this.#core;
    const target = files.folderOf(conversationId);
    return this.#core.lock(conversationId, async (lock) => {
      if (!(await claimAgain(target))) throw alreadyExists(conversationId);
      try {
        if (droppedKey !== undefined) {
          const path = join(this.pathOf(name), 'conversation.json');
          const found = await files.readUncached(conversationId, path);
          if (found === undefined) throw notFound(name);
          found.document.amend({ clientId: undefined });
          const head = found.document.draftHead();
          await lock.replace(path, found.document.render(head), options);
        }
        // Onto the claimed folder, where no other process can have created a conversation.
        if ((await moveFolder(this.pathOf(name), target, options)) !== 'moved') {
          throw notFound(name);
        }
      } finally {
        await removeEmptyFolder(target);
        await this.#core.reload(conversationId);
      }
      return { conversationId, ...(droppedKey === undefined ? {} : { droppedKey }) };
    });
  }

  async #find(nameOrId: string): Promise<string> {
    if (!TRASH_NAME.test(nameOrId)) {
      throw new AppError(
        'VALIDATION_ERROR',
        `${JSON.stringify(nameOrId.slice(0, 150))} is neither a conversation id nor a name in the trash.`,
      );
    }
    const names = (await listFolders(this.#folder)).filter((name) => TRASH_NAME.test(name));
    if (names.includes(nameOrId)) return nameOrId;
    const [last] = names
      .filter((name) => idOf(name) === nameOrId)
      .sort()
      .reverse();
    if (last === undefined) throw notInTrash(nameOrId);
    return last;
  }

  async #findKey(key: string): Promise<string> {
    requireRef(key);
    const found = (await this.list()).find(({ clientId }) => clientId === key);
    if (found === undefined) throw notInTrash(key);
    return found.name;
  }

  async #describe(name: string): Promise<TrashedConversation> {
    const head = await this.#headOf(name);
    const deletedAt = deletedAtOf(name);
    return {
      name,
      conversationId: idOf(name),
      ...(deletedAt === undefined ? {} : { deletedAt }),
      ...(head?.clientId === undefined ? {} : { clientId: head.clientId }),
      ...(head?.title === undefined ? {} : { title: head.title }),
      ...(head === undefined ? {} : { messageCount: head.messageCount }),
      ...(head?.metadata === undefined ? {} : { metadata: head.metadata }),
      sizeBytes: (await folderSize(this.pathOf(name))).sizeBytes,
    };
  }

  /** `undefined` for a damaged file: it can be restored and purged all the same. */
  async #headOf(name: string): Promise<ConversationHead | undefined> {
    const path = join(this.pathOf(name), 'conversation.json');
    try {
      return (await this.#core.files.readUncached(idOf(name), path))?.document.head;
    } catch (error) {
      if (isAppError(error)) return undefined;
      throw error;
    }
  }
}

/** An empty folder was left by a crashed creator, or its creator will claim it again. */
async function claimAgain(folder: string): Promise<boolean> {
  if (await claimFolder(folder)) return true;
  return (await removeEmptyFolder(folder)) && (await claimFolder(folder));
}

/** A record that cannot be read does not prevent the move, which keeps the record. */
async function isResearching(path: string): Promise<boolean> {
  const found = await readWhole(path);
  if (found === undefined) return false;
  try {
    const { state } = readJob(parseDocument(found.bytes, path, 'CORRUPT'), path);
    return state === 'creating' || state === 'running';
  } catch (error) {
    if (isAppError(error)) return false;
    throw error;
  }
}

function notInTrash(nameOrId: string): AppError {
  return new AppError('CONVERSATION_NOT_FOUND', `${nameOrId} is not in the trash.`, {
    hint: 'List what is in the trash, and take a name from there.',
    details: { conversationId: nameOrId },
  });
}

function alreadyExists(conversationId: string): AppError {
  return new AppError('ALREADY_EXISTS', `There is a conversation ${conversationId}.`, {
    hint: 'Nothing was overwritten. Delete or export that one first.',
    details: { conversationId },
  });
}

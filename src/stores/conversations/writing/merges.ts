/**
 * Merges two conversations into a new one, all or nothing, although three folders change. The steps, under
 * the locks of both sources: write a journal in `.merging/`, rename the new `conversation.json` into
 * place, copy the attachments, move the sources to the trash, remove the journal. The merge is committed by
 * the rename. If the process dies, the next process that starts, watches or moves a conversation reads the
 * journal: if the merged conversation exists, it finishes the merge, otherwise it removes the journal. Until
 * then the merged conversation and its sources both exist, and no message is missing.
 */

import { basename, join } from 'node:path';
import { z } from 'zod';
import { yieldToEventLoop } from '../../../base/async/time-slice.js';
import { isoTime } from '../../../base/clock.js';
import { AppError, isAppError } from '../../../base/errors.js';
import { randomBelow } from '../../../base/ids.js';
import { isSameJson } from '../../../base/json.js';
import { atomicWrite, makeFolder } from '../../../files/atomic/atomic-write.js';
import { type HeldLock, withLock } from '../../../files/locks/file-lock.js';
import { listFiles, removeEmptyFolder, removeFile } from '../../../files/paths/folders.js';
import { parseDocument, renderDocument } from '../../../files/read/json-document.js';
import { readStamp, type Stamp } from '../../../files/read/stamp.js';
import { readWhole } from '../../../files/read/whole-file.js';
import { notFound } from '../conversation-errors.js';
import type { ConversationTrash } from '../conversation-trash.js';
import type { PastFields, PastMessage } from '../document/apply-appends.js';
import { CONVERSATION_ID } from '../document/conversation-id.js';
import type { Conversation, ConversationHead } from '../document/schema.js';
import { attachmentBytes, mergeAttachments, removeAttachments } from '../files/attachments.js';
import type { CachedDocument } from '../files/document-cache.js';
import type { StoreCore } from '../store-core.js';
import { type CopyOptions, mergeOf } from './branch-and-merge-content.js';
import { withKeyLock } from './key-lock.js';
import type { ConversationWriter } from './writer.js';

/** The id of a merged conversation has a time up to a minute after its beginning. */
const ID_SPREAD_MS = 60_000;

const conversationId = z.string().regex(CONVERSATION_ID);
const journalSchema = z
  .object({
    into: conversationId,
    /** The sources, each with the merged version. One that was changed since is not moved to the trash. */
    from: z.tuple([
      z.object({ conversationId, version: z.string() }),
      z.object({ conversationId, version: z.string() }),
    ]),
  })
  // Both sources are locked, and a lock cannot be acquired twice.
  .refine(({ from: [a, b] }) => a.conversationId !== b.conversationId);
type Journal = z.output<typeof journalSchema>;

export interface Merged {
  readonly head: ConversationHead;
  /** The sources in the trash, in the order they were given. */
  readonly trashed: readonly { readonly name: string; readonly path: string }[];
}

export class Merges {
  readonly #core: StoreCore;
  readonly #writer: ConversationWriter;
  readonly #trash: ConversationTrash;
  readonly #folder: string;

  constructor(core: StoreCore, writer: ConversationWriter, trash: ConversationTrash) {
    this.#core = core;
    this.#writer = writer;
    this.#trash = trash;
    this.#folder = join(core.options.logsFolder, '.merging');
  }

  /** Takes two different ids. Durable when it resolves. Throws like `ConversationStore.merge`. */
  async merge(first: string, second: string, { title, signal }: CopyOptions = {}): Promise<Merged> {
    let bytes = 0;
    for (const id of [first, second]) bytes += await attachmentBytes(this.#core.files.folderOf(id));
    await this.#core.options.requireRoom?.(bytes);
    return this.#withKeyOf([first, second], async (lock) => {
      for (const id of [first, second]) await this.#trash.requireDeletable(id);
      const sources = [await this.#read(first), await this.#read(second)] as const;
      const [a, b] = sources.map(({ document }) => document.snapshot()) as [
        Conversation,
        Conversation,
      ];
      const { fields, messages } = mergeOf(a, b);
      await yieldToEventLoop(signal);
      const from = sources.map(({ document, stamp }) => ({
        conversationId: document.head.conversationId,
        version: versionOf(stamp),
      })) as Journal['from'];
      const given = title === undefined ? {} : await this.#core.maskedValue({ title });
      const named = { ...fields, ...given };
      const { head, journal } = await this.#publish(lock, named, messages, from);
      const trashed = await this.#moveSources(journal, head);
      await this.#drop(journal).catch((error: unknown) => {
        // The merge is done. `recover` removes the journal.
        this.#core.log.warn({ err: error }, 'the journal of a merge could not be removed');
      });
      return { head, trashed: trashed.map((name) => ({ name, path: this.#trash.pathOf(name) })) };
    });
  }

  async #publish(
    lock: HeldLock,
    fields: PastFields,
    messages: readonly PastMessage[],
    from: Journal['from'],
  ): Promise<{ head: ConversationHead; journal: Journal }> {
    const journals: Journal[] = [];
    try {
      const requests = [{ messages, options: {} }];
      const beforeWrite = async (into: string) => {
        journals.push({ into, from }); // may be called again for another id
        await this.#write({ into, from });
      };
      // The next free id may be that of an archived conversation, which was made by an earlier merge.
      const { createdAt } = fields;
      const idFrom = createdAt && isoTime(Date.parse(createdAt) + randomBelow(ID_SPREAD_MS));
      const options = { beforeWrite, idFrom };
      const { head } = await this.#writer.createWith(lock, fields, requests, options);
      const journal = journals.pop();
      if (journal === undefined) throw new Error('a conversation was made without its journal');
      return { head, journal };
    } finally {
      for (const journal of journals) {
        // If the file exists, only its fsync failed. The merge is valid and is finished later.
        const isThere = await readStamp(this.#core.files.fileOf(journal.into));
        if (isThere === undefined) await this.#drop(journal);
      }
    }
  }

  /** Finishes or undoes merges whose process died. Lists one folder if there are none. */
  async recover(): Promise<void> {
    for (const name of await listFiles(this.#folder)) {
      const id = name.replace(/\.json$/, '');
      if (!CONVERSATION_ID.test(id)) continue;
      const journal = await this.#readJournal(id);
      if (journal === undefined) continue;
      const ids = journal.from.map((source) => source.conversationId);
      await this.#locked(ids, () => this.#finish(journal));
    }
  }

  /**
   * Called under the locks of the sources, so the process that wrote the journal is dead or has removed it.
   */
  async #finish({ into }: Journal): Promise<void> {
    const journal = await this.#readJournal(into);
    if (journal === undefined) return;
    const { files } = this.#core;
    if ((await readStamp(files.fileOf(into))) === undefined) {
      await removeEmptyFolder(files.folderOf(into));
    } else {
      for (const { conversationId: id, version } of journal.from) {
        const stamp = await readStamp(files.fileOf(id));
        if (stamp === undefined) continue;
        if (versionOf(stamp) === version) {
          await this.#mergeAttachments(id, into);
          await this.#trash.moveIn(id);
        } else
          this.#core.log.warn(
            { conversationId: id },
            'changed after the merge, so it was not moved to the trash',
          );
      }
      await this.#core.reload(into);
    }
    await this.#drop(journal);
  }

  /**
   * Undoes the merge after an error. If that fails too, or another process has written to the merged conversation,
   * the journal stays and the merge is finished later.
   */
  async #moveSources(journal: Journal, merged: ConversationHead): Promise<string[]> {
    const ids = journal.from.map(({ conversationId }) => conversationId);
    const moved: string[] = [];
    try {
      for (const id of ids) await this.#mergeAttachments(id, journal.into);
      for (const id of ids) moved.push(await this.#trash.moveIn(id));
      return moved;
    } catch (error) {
      const movedTo = isAppError(error) ? error.details?.['movedTo'] : undefined;
      const last = typeof movedTo === 'string' ? basename(movedTo) : '';
      if (this.#trash.pathOf(last) === movedTo) moved.push(last);
      await withLock(this.#core.locksFolder, journal.into, async (lock) => {
        const found = await this.#core.files.readUncached(journal.into);
        if (found !== undefined && !isSameJson(found.document.head, merged)) return;
        for (const [at, name] of moved.entries()) await this.#trash.moveBack(ids[at] ?? '', name);
        await this.#removeMerged(lock, journal);
      });
      throw error;
    }
  }

  async #removeMerged(lock: HeldLock, journal: Journal): Promise<void> {
    const { files, options } = this.#core;
    await removeAttachments(files.folderOf(journal.into));
    await lock.remove(files.fileOf(journal.into), options);
    await removeEmptyFolder(files.folderOf(journal.into));
    await this.#core.reload(journal.into);
    await this.#drop(journal);
  }

  #mergeAttachments(conversationId: string, into: string): Promise<void> {
    const { files, options } = this.#core;
    const source = { conversationId, folder: files.folderOf(conversationId) };
    return mergeAttachments(source, files.folderOf(into), options);
  }

  async #read(id: string): Promise<CachedDocument> {
    const found = await this.#core.files.read(id);
    if (found === undefined) throw notFound(id);
    return found;
  }

  /**
   * Like `#locked`, also under the lock of the key that the merged conversation will have: a process that lists the
   * conversations before the merged one exists, and reads the source after it was moved, finds no owner of the key.
   */
  async #withKeyOf<T>(ids: readonly string[], work: (lock: HeldLock) => Promise<T>): Promise<T> {
    for (const id of ids) {
      const { clientId } = (await this.#read(id)).document.head;
      if (clientId === undefined) continue;
      return withKeyLock(this.#core.locksFolder, clientId, () => this.#locked(ids, work));
    }
    return this.#locked(ids, work);
  }

  /** Locks in the same order in every process, so that two merges of one pair cannot wait for each other. */
  #locked<T>(ids: readonly string[], work: (lock: HeldLock) => Promise<T>): Promise<T> {
    const [outer = '', inner = ''] = [...ids].sort();
    return withLock(this.#core.locksFolder, outer, () =>
      withLock(this.#core.locksFolder, inner, work),
    );
  }

  async #write(journal: Journal): Promise<void> {
    await makeFolder(this.#folder);
    const bytes = renderDocument(journal);
    await atomicWrite(this.#journalOf(journal.into), bytes, this.#core.options);
  }

  async #drop({ into }: Journal): Promise<void> {
    // The removal is fsynced, because a journal that reappears after a power cut would move restored sources
    // again.
    await removeFile(this.#journalOf(into), this.#core.options);
  }

  async #readJournal(into: string): Promise<Journal | undefined> {
    const path = this.#journalOf(into);
    const found = await readWhole(path);
    if (found === undefined) return undefined;
    try {
      return journalSchema.parse(parseDocument(found.bytes, path, 'CORRUPT'));
    } catch (error) {
      if (!isAppError(error, 'CORRUPT') && !(error instanceof z.ZodError)) throw error;
      this.#core.log.warn({ err: error, path }, 'the journal of a merge cannot be read');
      return undefined;
    }
  }

  #journalOf(into: string): string {
    return join(this.#folder, `${into}.json`);
  }
}

/** VALIDATION_ERROR if the same conversation is given twice. */
export function requireDifferent(first: string, second: string): void {
  if (first !== second) return;
  throw new AppError('VALIDATION_ERROR', 'A conversation cannot be merged with itself.', {
    hint: 'Name two different conversations.',
    details: { conversationId: first },
  });
}

const versionOf = ({ dev, ino, size, mtimeNs }: Stamp) => [dev, ino, size, mtimeNs].join('-');

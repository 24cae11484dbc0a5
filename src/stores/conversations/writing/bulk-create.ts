/**
 * Creates many conversations together, for imports: under one lock, with few fsyncs. Each conversation is
 * written in a temporary folder, which is complete before it is renamed to its id. No other process can
 * know the id before that, so the conversations need no locks of their own.
 */
import { isoTime, sleep, systemClock } from '../../../base/clock.js';
import { isAppError } from '../../../base/errors.js';
import { GroupCommit, type Outcome, outcomeOf } from '../../../files/atomic/group-commit.js';
import type { HeldLock } from '../../../files/locks/file-lock.js';
import { isSameStamp, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import { idTaken, keyInUse } from '../conversation-errors.js';
import type { PastFields, PastMessage } from '../document/apply-appends.js';
import { conversationIdAt } from '../document/conversation-id.js';
import type { ConversationDocument } from '../document/document.js';
import { requireReadable } from '../document/parse-conversation.js';
import type { ConversationHead } from '../document/schema.js';
import type { StoreCore } from '../store-core.js';
import { withBatchLock, withKeyLock } from './key-lock.js';

/**
 * Less than the number of conversations that an import processes at a time, so that it continues to read
 * during a write. Each conversation has two open files.
 */
const MAX_BATCH = 256;
/** Two changes of a folder that are this far apart have different modification times. */
const TIME_RESOLUTION_MS = 12;

/** A new conversation, of which nothing must be masked any more. */
export interface MaskedConversation {
  /** Plain JSON that is not changed any more, and that can be stored (`requireReadable`). */
  readonly fields: PastFields;
  readonly messages: readonly PastMessage[];
}

export interface BatchedConversation extends MaskedConversation {
  /** Called under the lock, before the write. If it throws, nothing is created. */
  readonly beforeWrite?: () => void;
}

interface NewEntry extends BatchedConversation {
  /** The whole document, under its final id; `fields` is its head. */
  readonly whole?: ConversationDocument | undefined;
}

export interface BulkParts {
  /** Adds the messages to the empty document, or throws. */
  fill(document: ConversationDocument, messages: readonly PastMessage[]): void;
  /** Creates one conversation under the lock of its key. */
  createOne(one: MaskedConversation): Promise<ConversationDocument>;
}

interface Ready {
  readonly one: NewEntry;
  readonly document: ConversationDocument;
  readonly head: ConversationHead;
  readonly bytes: Uint8Array;
}

interface UsedIds {
  /** The ids of this batch. */
  readonly ids: Set<string>;
  /** See `IdAllocator.reserved`. An id that was given may be one of them. */
  readonly reserved: ReadonlySet<string>;
}

type Outcomes = Map<NewEntry, Outcome<ConversationDocument>>;

export class BulkCreator {
  readonly #core: StoreCore;
  readonly #parts: BulkParts;
  readonly #commits = new GroupCommit<NewEntry, ConversationDocument>(
    (batch) => this.#write(batch),
    {
      maxBatch: MAX_BATCH,
    },
  );
  /** Of the logs folder, after the last batch. If unchanged, no other process created a conversation. */
  #lastFolderStamp: Stamp | undefined;
  /** The first id of the last search for a free id, and the id at which it ended. */
  #lastId = { first: -1, next: 0 };

  constructor(core: StoreCore, parts: BulkParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Returns the id. Durable when it resolves; not cached. Throws like `ConversationStore.create`. */
  async add(conversation: BatchedConversation): Promise<string> {
    requireReadable(conversation.fields);
    return this.#add(conversation);
  }

  /** Adds a whole document under its own id. Throws like `add`, and ALREADY_EXISTS if the id is taken. */
  async addWhole(whole: ConversationDocument): Promise<void> {
    await this.#add({ fields: whole.head, messages: [], whole });
  }

  async #add(one: NewEntry): Promise<string> {
    const { head } = await this.#core.track(this.#commits.add(one));
    return head.conversationId;
  }

  async #write(batch: readonly NewEntry[]): Promise<Outcome<ConversationDocument>[]> {
    const { locksFolder, options } = this.#core;
    await options.requireRoom?.(batch.reduce((sum, one) => sum + bytesOf(one), 0));
    const outcomes: Outcomes = new Map();
    const unfinished = () => batch.filter((one) => !outcomes.has(one));
    await withBatchLock(locksFolder, async (lock, keys) => {
      await this.#readNewKeys(keys.isAnyLocked);
      // Conversations that were added before the lock was lost already have their outcome.
      const isKeyLocked = ({ fields: { clientId } }: NewEntry) =>
        clientId !== undefined && keys.isLocked(clientId);
      await this.#create(
        lock,
        unfinished().filter((one) => !isKeyLocked(one)),
        outcomes,
      );
      await this.#rememberStamp(keys.isAnyLocked);
    });
    for (const one of unfinished())
      outcomes.set(one, await outcomeOf(() => this.#createAlone(one)));
    return batch.map((one) => outcomes.get(one) as Outcome<ConversationDocument>);
  }

  async #createAlone(one: NewEntry): Promise<ConversationDocument> {
    const { whole, fields } = one;
    if (whole === undefined || fields.clientId === undefined) return this.#parts.createOne(one);
    return withKeyLock(this.#core.locksFolder, fields.clientId, async (lock) => {
      await this.#core.catalogue.refreshNew();
      const outcomes: Outcomes = new Map();
      await this.#create(lock, [one], outcomes);
      const outcome = outcomes.get(one);
      if (outcome !== undefined && 'value' in outcome) return outcome.value;
      throw outcome?.error;
    });
  }

  /**
   * Reads the conversations that other processes created meanwhile, because they may have used the same keys.
   */
  async #readNewKeys(hasLockedKeys: boolean): Promise<void> {
    const now = readStampNow(this.#core.options.logsFolder);
    if (hasLockedKeys || !isSameStamp(now, this.#lastFolderStamp))
      await this.#core.catalogue.refreshNew();
  }

  /**
   * Remembers the stamp of the logs folder, unless another process may have created the folder of a new
   * conversation and not yet its file. It first waits until every later change of the folder gets another
   * time.
   */
  async #rememberStamp(hasLockedKeys: boolean): Promise<void> {
    this.#lastFolderStamp = undefined;
    if (hasLockedKeys) return;
    const stamp = readStampNow(this.#core.options.logsFolder);
    if (stamp === undefined) return;
    const ageMs = systemClock.now() - Number(stamp.mtimeNs / 1_000_000n);
    if (ageMs < TIME_RESOLUTION_MS) await sleep(TIME_RESOLUTION_MS - Math.max(ageMs, 0));
    this.#lastFolderStamp = stamp;
  }

  /** If another process used an id meanwhile, that conversation gets another id, unless its id was given. */
  async #create(lock: HeldLock, batch: readonly NewEntry[], outcomes: Outcomes): Promise<void> {
    const ids = new Set<string>();
    const reserved = await this.#core.files.ids.reserved();
    const keys = new Map<string, string>();
    for (let pending = batch, isFirst = true; isFirst || pending.length > 0; isFirst = false) {
      const ready: Ready[] = [];
      for (const one of pending) {
        const prepared = await outcomeOf(() =>
          this.#prepare(one, { ids, reserved }, isFirst ? keys : undefined),
        );
        if ('value' in prepared) ready.push(prepared.value);
        else outcomes.set(one, prepared);
      }
      pending = await this.#rename(lock, ready, outcomes);
    }
  }

  async #prepare(
    one: NewEntry,
    { ids, reserved }: UsedIds,
    /** The conversation of this batch that has the key. */
    keys: Map<string, string> | undefined,
  ): Promise<Ready> {
    const { files, catalogue, clock } = this.#core;
    one.beforeWrite?.();
    const { clientId } = one.fields;
    if (clientId !== undefined && keys !== undefined) {
      const owner = catalogue.idOfKey(clientId) ?? keys.get(clientId);
      if (owner !== undefined) throw keyInUse(clientId, owner);
    }
    const document = one.whole ?? this.#filled(one, { ids, reserved });
    const { conversationId, updatedAt } = document.head;
    if (ids.has(conversationId)) throw idTaken(conversationId);
    const isDated = one.whole !== undefined || one.fields.updatedAt !== undefined;
    const rendered = await files.rendered(document, isDated ? updatedAt : isoTime(clock.now()));
    ids.add(conversationId);
    if (clientId !== undefined) keys?.set(clientId, conversationId);
    return { one, document, ...rendered };
  }

  #filled({ fields, messages }: NewEntry, used: UsedIds): ConversationDocument {
    const id = this.#freeId(fields.createdAt, used);
    const document = this.#core.files.newDocument(id, fields as Partial<ConversationHead>);
    this.#parts.fill(document, messages);
    return document;
  }

  /** The first id, in steps of a millisecond, that is free on disk, in the trash and in the batch. */
  #freeId(createdAt: string | undefined, { ids, reserved }: UsedIds): string {
    const { files } = this.#core;
    const first = files.ids.firstMs(createdAt);
    for (let ms = this.#lastId.first === first ? this.#lastId.next : first; ; ms += 1) {
      const id = conversationIdAt(ms);
      if (ids.has(id) || reserved.has(id)) continue;
      if (readStampNow(files.folderOf(id)) !== undefined) continue;
      this.#lastId = { first, next: ms };
      return id;
    }
  }

  /** Moves the folders to their ids. Returns those whose id another process has used. */
  async #rename(lock: HeldLock, ready: readonly Ready[], outcomes: Outcomes): Promise<NewEntry[]> {
    const { files, options } = this.#core;
    const folders = ready.map(({ head, bytes }) => ({
      name: head.conversationId,
      fileName: 'conversation.json',
      bytes,
    }));
    const failed = await lock.addFolders(options.logsFolder, folders, options, (index, stamp) => {
      const placed = ready[index];
      if (placed === undefined) return;
      placed.document.commit(placed.head);
      outcomes.set(placed.one, { value: placed.document });
      files.created(placed.document, stamp);
    });
    const taken: NewEntry[] = [];
    for (const [index, error] of failed) {
      const one = ready[index]?.one;
      if (one === undefined) continue;
      const mayTryAnother = one.whole === undefined && isAppError(error, 'ALREADY_EXISTS');
      if (mayTryAnother) taken.push(one);
      else outcomes.set(one, { error });
    }
    return taken;
  }
}

/** About the size of the file: at least the characters of its texts. */
function bytesOf({ messages, whole }: NewEntry): number {
  const all = whole?.draft().messages ?? messages;
  return all.reduce((sum, { content }) => sum + content.length, 0);
}

/**
 * Creates many conversations together, for imports: under one lock, with few fsyncs. Each conversation is
 * written in a temporary folder, which is complete before it is renamed to its id. No other process can
 * know the id before that, so the conversations need no locks of their own.
 */
import { isoTime, sleep, systemClock } from '../../../base/clock.js';
import { isAppError } from '../../../base/errors.js';
import { type Outcome, outcomeOf } from '../../../files/atomic/group-commit.js';
import { type HeldLock, LockLostError } from '../../../files/locks/file-lock.js';
import { isSameStamp, modifiedMs, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import { WriteSlots } from '../../../files/write-slots.js';
import { idTaken, keyInUse } from '../conversation-errors.js';
import type { PastFields, PastMessage } from '../document/apply-appends.js';
import { conversationIdAt } from '../document/conversation-id.js';
import type { ConversationDocument } from '../document/document.js';
import { requireReadable } from '../document/parse-conversation.js';
import type { ConversationHead } from '../document/schema.js';
import type { StoreCore } from '../store-core.js';
import { type LockedKeys, withBatchLock, withKeyLock } from './key-lock.js';

/**
 * While some batches wait for the disk, the next one is prepared. All of them together are fewer than the
 * conversations that an import processes at a time, so that it continues to read. Each conversation has two
 * open files.
 */
const MAX_BATCH = 64;
const BATCHES_AT_ONCE = 3;
/** After this time the lock is released, because new conversations with a key wait for it. */
const MAX_TURN_MS = 250;
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

type Outcomes = Map<NewEntry, Outcome<ConversationDocument>>;

/** The state of the work under one lock. */
interface Turn {
  readonly lock: HeldLock;
  readonly outcomes: Outcomes;
  /** The ids that this turn gave or tried. */
  readonly ids: Set<string>;
  /** See `IdAllocator.reserved`. An id that was given may be one of them. */
  readonly reserved: ReadonlySet<string>;
  /** By client key: the conversation of this turn that has it. */
  readonly owners: Map<string, string>;
}

interface BatchTurn extends Turn {
  readonly keys: LockedKeys;
  /** The conversations that were taken from the queue and are not finished. */
  readonly open: Set<Waiting>;
}

/** A conversation, and the promise of its caller. */
interface Waiting {
  readonly one: NewEntry;
  resolve(document: ConversationDocument): void;
  reject(error: unknown): void;
}

export class BulkCreator {
  readonly #core: StoreCore;
  readonly #parts: BulkParts;
  #waiting: Waiting[] = [];
  #isRunning = false;
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
    const { head } = await new Promise<ConversationDocument>((resolve, reject) => {
      this.#waiting.push({ one, resolve, reject });
      if (!this.#isRunning) void this.#core.track(this.#run());
    });
    return head.conversationId;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    await Promise.resolve(); // the rest of this tick's conversations
    while (this.#waiting.length > 0) await this.#writeWaiting();
    this.#isRunning = false;
  }

  async #writeWaiting(): Promise<void> {
    const open = new Set(this.#nextBatch());
    const outcomes: Outcomes = new Map();
    try {
      await withBatchLock(this.#core.locksFolder, async (lock, keys) => {
        await this.#readNewKeys(keys.isAnyLocked);
        await this.#writeBatches({ ...(await this.#emptyTurn(lock, outcomes)), keys, open });
        await this.#rememberStamp(keys.isAnyLocked);
      });
      for (const { one, resolve, reject } of open)
        await this.#createAlone(one).then(resolve, reject);
    } catch (error) {
      for (const { reject } of open) reject(error);
    }
  }

  /** Writes the open conversations, and those that wait meanwhile, until there are none or the time is over. */
  async #writeBatches(turn: BatchTurn): Promise<void> {
    const { lock, keys, open, outcomes } = turn;
    const isKeyLocked = ({ fields: { clientId } }: NewEntry) =>
      clientId !== undefined && keys.isLocked(clientId);
    const endMs = systemClock.monotonic() + MAX_TURN_MS;
    const writes = new WriteSlots({ atOnce: BATCHES_AT_ONCE, weight: Number.POSITIVE_INFINITY });
    try {
      // After a lost lock, these are all that are not finished. Some of them may have their outcome.
      for (let batch = [...open]; batch.length > 0; ) {
        const entries = batch.map(({ one }) => one).filter((one) => !isKeyLocked(one));
        const unwritten = entries.filter((one) => !outcomes.has(one));
        // What other batches write may not be in the measured size of the store yet.
        const unfinished = Array.from(open, ({ one }) => one);
        const ready = await this.#prepareAll(unwritten, turn, unfinished);
        const written = batch;
        await writes.add(0, () => this.#finish(written, ready, turn));
        while (this.#waiting.length === 0 && writes.isAnyRunning) await writes.ended();
        const isOver = systemClock.monotonic() > endMs || lock.isWanted();
        batch = isOver ? [] : this.#nextBatch();
        for (const each of batch) open.add(each);
      }
    } finally {
      await writes.settled();
    }
    writes.throwIfFailed();
  }

  #nextBatch(): Waiting[] {
    return this.#waiting.splice(0, MAX_BATCH);
  }

  /** Writes what is ready, and ends the waits of the batch's conversations that have an outcome then. */
  async #finish(batch: readonly Waiting[], ready: readonly Ready[], turn: BatchTurn) {
    const { open, outcomes } = turn;
    const failed = await outcomeOf(() => this.#place(ready, turn));
    if ('error' in failed && failed.error instanceof LockLostError) throw failed.error;
    for (const waiting of batch) {
      const outcome = 'error' in failed ? failed : outcomes.get(waiting.one);
      if (outcome === undefined) continue;
      open.delete(waiting);
      if ('value' in outcome) waiting.resolve(outcome.value);
      else waiting.reject(outcome.error);
    }
  }

  async #createAlone(one: NewEntry): Promise<ConversationDocument> {
    const { whole, fields } = one;
    if (whole === undefined || fields.clientId === undefined) return this.#parts.createOne(one);
    return withKeyLock(this.#core.locksFolder, fields.clientId, async (lock) => {
      await this.#core.catalogue.refreshNew();
      const turn = await this.#emptyTurn(lock, new Map());
      await this.#place(await this.#prepareAll([one], turn), turn);
      const outcome = turn.outcomes.get(one);
      if (outcome !== undefined && 'value' in outcome) return outcome.value;
      throw outcome?.error;
    });
  }

  async #emptyTurn(lock: HeldLock, outcomes: Outcomes): Promise<Turn> {
    const reserved = await this.#core.files.ids.reserved();
    return { lock, outcomes, ids: new Set(), reserved, owners: new Map() };
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
    const ageMs = systemClock.now() - modifiedMs(stamp);
    if (ageMs < TIME_RESOLUTION_MS) await sleep(TIME_RESOLUTION_MS - Math.max(ageMs, 0));
    this.#lastFolderStamp = stamp;
  }

  /** Those that cannot be stored get their error as the outcome. There must be room for all `unfinished`. */
  async #prepareAll(
    entries: readonly NewEntry[],
    turn: Turn,
    unfinished = entries,
  ): Promise<Ready[]> {
    const ready: Ready[] = [];
    const bytes = unfinished.reduce((sum, one) => sum + bytesOf(one), 0);
    const room = await outcomeOf(async () => this.#core.options.requireRoom?.(bytes));
    for (const one of entries) {
      const prepared = 'error' in room ? room : await outcomeOf(() => this.#prepare(one, turn));
      if ('value' in prepared) ready.push(prepared.value);
      else turn.outcomes.set(one, prepared);
    }
    return ready;
  }

  async #prepare(one: NewEntry, turn: Turn): Promise<Ready> {
    const { files, catalogue, clock } = this.#core;
    const { ids, owners } = turn;
    one.beforeWrite?.();
    const { clientId } = one.fields;
    if (clientId !== undefined) {
      const owner = catalogue.idOfKey(clientId) ?? owners.get(clientId);
      if (owner !== undefined) throw keyInUse(clientId, owner);
    }
    const document = one.whole ?? this.#filled(one, turn);
    const { conversationId, updatedAt } = document.head;
    if (ids.has(conversationId)) throw idTaken(conversationId);
    // Before the wait, because another batch may be prepared meanwhile.
    ids.add(conversationId);
    if (clientId !== undefined) owners.set(clientId, conversationId);
    const isDated = one.whole !== undefined || one.fields.updatedAt !== undefined;
    const rendered = await files.rendered(document, isDated ? updatedAt : isoTime(clock.now()));
    return { one, document, ...rendered };
  }

  /** If another process used an id meanwhile, that conversation gets another id, unless its id was given. */
  async #place(ready: readonly Ready[], turn: Turn): Promise<void> {
    let next = ready;
    // Also if nothing is ready: then the names of what was placed before the lock was lost are fsynced.
    do next = await this.#prepareAll(await this.#rename(next, turn), turn);
    while (next.length > 0);
  }

  #filled({ fields, messages }: NewEntry, used: Turn): ConversationDocument {
    const id = this.#freeId(fields.createdAt, used);
    const document = this.#core.files.newDocument(id, fields as Partial<ConversationHead>);
    this.#parts.fill(document, messages);
    return document;
  }

  /** The first id, in steps of a millisecond, that is free on disk, in the trash and in this turn. */
  #freeId(createdAt: string | undefined, { ids, reserved }: Turn): string {
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
  async #rename(ready: readonly Ready[], { lock, outcomes, owners }: Turn): Promise<NewEntry[]> {
    const { files, options } = this.#core;
    const folders = ready.map(({ head, bytes }) => ({
      name: head.conversationId,
      fileName: 'conversation.json',
      bytes,
    }));
    const failed = await lock.addEntries(options.logsFolder, folders, options, (index, stamp) => {
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
      owners.delete(one.fields.clientId ?? '');
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

/**
 * The shared state of all parts of the conversation store: files, catalogue, locks, watcher, pending writes.
 */

import { PendingWork } from '../../base/async/pending-work.js';
import { type Clock, systemClock } from '../../base/clock.js';
import { type Log, silentLog } from '../../base/log.js';
import type { CachedFile } from '../../files/catalogue/file-catalogue.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { releaseLeftLocks } from '../../files/locks/lock-handoff.js';
import type { Stamp } from '../../files/read/stamp.js';
import { requireUnconverted } from '../../files/sealing/open-stores.js';
import { type Codec, plainCodec } from '../../files/sealing/text-codec.js';
import { Presence } from '../../files/store-presence.js';
import { Watcher, type WatcherStatus } from '../../files/watcher/watcher.js';
import type { StoreOptions } from '../store-options.js';
import { withDistinctTags } from '../tags.js';
import { maskedBy } from '../text-masker.js';
import type { AppendOptions, ConversationFields } from './document/apply-appends.js';
import { CONVERSATION_ID } from './document/conversation-id.js';
import type { ConversationDocument } from './document/document.js';
import { requireReadable } from './document/parse-conversation.js';
import type { ConversationHead } from './document/schema.js';
import { ConversationCatalogue } from './files/conversation-catalogue.js';
import { ConversationFiles } from './files/conversation-files.js';
import type { Outline } from './files/message-positions.js';
import {
  type MaskableMessage,
  type MaskedMessages,
  type Masker,
  MaskQueue,
} from './writing/mask-queue.js';

export interface VersionLimits {
  /** 0: no versions are stored. */
  readonly count: number;
  /** 0: versions have no maximum age. */
  readonly days: number;
}

const ID_LENGTH = 22;

export interface CachedHead extends CachedFile<ConversationHead> {
  /** The positions of the messages, for a large file. */
  readonly outline?: Outline;
  /** The time of the last message, or of the creation if there is none. Absent if it is not known. */
  readonly lastMessageAt?: string;
}

/** What a cache may know of a conversation beside its head. */
export type CachedParts = Pick<CachedHead, 'outline' | 'lastMessageAt'>;

export type CachedHeads = ReadonlyMap<string, CachedHead>;

export interface ConversationStoreOptions extends Omit<StoreOptions, 'masker' | 'queue'> {
  /** The absolute path of `conversation-logs`; created if it is missing. */
  logsFolder: string;
  maxMessages: number;
  /** How many versions are kept, and for how long. */
  versions?: VersionLimits | undefined;
  /** The ids of archived conversations. A new conversation with a time in the past gets none of them. */
  archivedIds?: ReadonlySet<string>;
  /** The store is opened for reading only, so the folder is not created. */
  isReading?: boolean;
  codec?: Codec;
  /**
   * For servers: the store stays open while its folder is away (not available). Meanwhile no folder is
   * created below the guarded ones.
   */
  staysUp?: { readonly guarded: readonly string[] } | undefined;
  /** The heads of a cache, by id. The first pass skips files with the same stamp. Must not reject. */
  cachedHeads?: (() => Promise<CachedHeads>) | undefined;
  /** Checks the messages of `create` and `append` before they are written. */
  masker?: Masker;
  /** Called after a conversation was removed permanently, also from the trash; not after it was archived. */
  onForgotten?: (conversationId: string) => void;
}

export class StoreCore {
  readonly options: ConversationStoreOptions;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly log: Log;
  readonly locksFolder: string;
  readonly files: ConversationFiles;
  readonly catalogue: ConversationCatalogue;
  /** Absent without `staysUp`. */
  readonly presence: Presence | undefined;
  /** Final ids of conversations created while the store was away, if their id or key was taken. */
  readonly movedIds = new Map<string, string>();
  /** The ids of conversations with messages or changes that wait in memory to be written. */
  readonly waiting = new Map<string, 'new' | 'stored'>();
  readonly #pending = new PendingWork();
  #onAway: () => void = () => undefined;
  readonly #masking: MaskQueue;
  #onOverwritten: (before: ConversationDocument) => void = () => undefined;
  #watcher: Watcher | undefined;
  /** The watcher keeps the catalogue current, so no pass over the folder is needed. */
  #isCurrent = false;
  #isClosed = false;

  constructor(options: ConversationStoreOptions) {
    const { logsFolder, clock = systemClock, codec = plainCodec, log = silentLog } = options;
    const { cachedHeads } = options;
    this.options = options;
    this.clock = clock;
    this.codec = codec;
    this.log = log;
    this.locksFolder = locksFolderIn(logsFolder);
    this.#masking = new MaskQueue(options.masker);
    this.files = new ConversationFiles({
      logsFolder,
      durability: options,
      clock,
      codec,
      archivedIds: options.archivedIds ?? new Set(),
      seeded: () => this.catalogue.seeded,
      requireHere: () => this.presence?.require(),
      onOverwritten: (before) => this.#onOverwritten(before),
      onVersion: (version) => {
        const { conversationId } = version.document.head;
        // An attempt to write reads the file, which does not have the waiting messages yet.
        if (this.waiting.has(conversationId)) return;
        // Only new versions: reading many conversations must not change which ones are the most recent.
        if (!this.catalogue.note(version)) return;
        this.#watcher?.touch(fileInLogs(conversationId), version.stamp);
      },
    });
    this.catalogue = new ConversationCatalogue(logsFolder, this.files, {
      isInMemory: (id) => this.isInMemory(id),
      onMissing: (id) => this.#watcher?.touch(fileInLogs(id), undefined),
      ...(cachedHeads && { readCached: () => this.#withParts(cachedHeads) }),
    });
    if (options.staysUp !== undefined) {
      this.presence = new Presence({
        folder: logsFolder,
        guarded: options.staysUp.guarded,
        isKnown: (names) => this.#isKnownStore(names),
        onAway: () => this.#onAway(),
      });
    }
  }

  /**
   * Whether the folder is the store: it must contain one of the known conversations. If none is known, it
   * must contain Daybook's `.gitignore` and no conversation. LOCKED if it has another encryption key now.
   */
  #isKnownStore(names: ReadonlySet<string>): boolean {
    let isEmpty = true;
    for (const { head } of this.catalogue.stamped()) {
      if (this.waiting.get(head.conversationId) === 'new') continue;
      isEmpty = false;
      if (!names.has(head.conversationId)) continue;
      requireUnconverted(this.options.logsFolder);
      return true;
    }
    return (
      isEmpty && names.has('.gitignore') && ![...names].some((name) => CONVERSATION_ID.test(name))
    );
  }

  /** Whether reads of this conversation, or without an id of all, use memory and not the disk. */
  isInMemory(id?: string): boolean {
    if (id !== undefined && this.waiting.has(id)) return true;
    return this.presence?.isHere() === false;
  }

  /** Registers the function that is called when the store is found to be away. */
  whenAway(notice: () => void): void {
    this.#onAway = notice;
  }

  /** `keep` gets the version before a hand edit, if that is still in memory. */
  whenOverwritten(keep: (before: ConversationDocument) => Promise<void>): void {
    this.#onOverwritten = (before) => {
      const keeping = keep(before).catch((error: unknown) => {
        const { conversationId } = before.head;
        this.log.warn(
          { err: error, conversationId },
          'the version before an edit could not be stored',
        );
      });
      void this.track(keeping);
    };
  }

  /** Removes secrets and private parts. A promise only if the fast check does not suffice. */
  maskedMessages<T extends MaskableMessage>(
    messages: readonly T[],
  ): MaskedMessages<T> | Promise<MaskedMessages<T>> {
    const turn = this.#masking.mask(messages);
    return turn instanceof Promise ? this.track(turn) : turn;
  }

  /** Like `maskedMessages`, for values that are not messages. */
  maskedValue<T extends object>(given: T): T | Promise<T> {
    const { masker } = this.options;
    if (masker?.isCleanValue(given) ?? true) return given;
    return this.track(maskedBy(masker, given).then(({ value }) => value));
  }

  /** Like `maskedValue`, for the fields of a new conversation. VALIDATION_ERROR if they cannot be stored. */
  maskedFields<T extends ConversationFields>(given: T): T | Promise<T> {
    requireReadable(given); // before the masker, which reads every value
    const clean = this.maskedValue(given);
    return clean instanceof Promise ? clean.then(withDistinctTags) : clean;
  }

  /** Like `maskedFields`, for the conversation that the append may create. */
  maskedCreateFields(given: AppendOptions): AppendOptions | Promise<AppendOptions> {
    const { create } = given;
    if (typeof create !== 'object') return given;
    const fields = this.maskedFields(create);
    if (!(fields instanceof Promise)) return given;
    return fields.then((clean) => ({ ...given, create: clean }));
  }

  /** Reads conversations again whose folders were moved, and notifies the listeners. */
  async reload(...conversationIds: readonly string[]): Promise<void> {
    for (const id of conversationIds) this.files.uncache(id);
    await this.catalogue.refreshSome(conversationIds);
  }

  /**
   * Returns all heads, newest `updatedAt` first. With `ids`, only these are checked on the disk, unless one
   * of them was deleted. Callers must not change the list. FILESYSTEM_ERROR.
   */
  async heads(ids?: readonly string[]): Promise<readonly ConversationHead[]> {
    if (!this.#isCurrent) {
      await this.catalogue.refreshSome(ids ?? []);
      const areThere = ids?.every((id) => this.catalogue.head(id) !== undefined) ?? false;
      if (!areThere) await this.catalogue.refresh();
    }
    return this.catalogue.newestFirst();
  }

  /** Yields all readable conversations with their stamps, for a cache. */
  *known(): Iterable<{ stamp: Stamp; head: ConversationHead } & CachedParts> {
    for (const { stamp, head } of this.catalogue.stamped()) {
      const outline = this.files.outlines.get(head.conversationId, stamp);
      const lastMessageAt = this.catalogue.lastMessageAt(head.conversationId);
      yield { stamp, head, ...(outline && { outline }), ...(lastMessageAt && { lastMessageAt }) };
    }
  }

  /** Adds an entry of a cache. Returns false, and changes nothing, if the conversation is known already. */
  seed(stamp: Stamp, head: ConversationHead, parts: CachedParts): boolean {
    if (!this.catalogue.seed(head.conversationId, stamp, head)) return false;
    this.#addParts({ stamp, summary: head, ...parts });
    return true;
  }

  /** Adds the parts of the cache without a check, because a part is used only if the file has its stamp. */
  async #withParts(cachedHeads: () => Promise<CachedHeads>): Promise<CachedHeads> {
    const heads = await cachedHeads();
    for (const cached of heads.values()) this.#addParts(cached);
    return heads;
  }

  #addParts({ stamp, summary, outline, lastMessageAt }: CachedHead): void {
    if (outline !== undefined) this.files.outlines.set(stamp, summary, outline);
    if (lastMessageAt === undefined) return;
    this.catalogue.setLastMessageAt(summary.conversationId, stamp, lastMessageAt);
  }

  /** Calls `onChange` after each change that another process or a person made. */
  async watch(onChange: () => void): Promise<void> {
    if (this.#isClosed || this.#watcher !== undefined) return;
    const watcher = this.#openWatcher(onChange);
    this.#watcher = watcher;
    try {
      await watcher.ready;
      await this.catalogue.refresh();
      this.#isCurrent = !this.#isClosed;
    } catch (error) {
      this.#watcher = undefined;
      await watcher.close();
      throw error;
    }
  }

  #openWatcher(onChange: () => void): Watcher {
    const unread = (err: unknown) => {
      this.log.error({ err }, 'changed conversations could not be read');
    };
    return new Watcher({
      root: this.options.logsFolder,
      match: (path) =>
        path.endsWith('/conversation.json') && CONVERSATION_ID.test(path.slice(0, ID_LENGTH)),
      onlyFiles: onlyConversationFiles,
      log: this.log,
      onChange: (changes) => {
        const ids = new Set(changes.map(({ path }) => path.slice(0, ID_LENGTH)));
        this.catalogue
          .refreshSome([...ids])
          .then(onChange)
          .catch(unread);
      },
      onPass: () => void this.catalogue.refreshUnread().catch(unread),
    });
  }

  /** Returns the status of the watcher; `undefined` while nothing is watched. */
  watching(): WatcherStatus | undefined {
    return this.#watcher?.status();
  }

  /** Registers a running write, so that `close` waits for it. */
  track<T>(write: Promise<T>): Promise<T> {
    return this.#pending.track(write);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#watcher?.close();
    await this.#pending.idle();
    await releaseLeftLocks(this.locksFolder);
    this.presence?.close();
    this.catalogue.stop(); // comes last, because a pending write may still have to find a key
  }
}

const fileInLogs = (conversationId: string) => `${conversationId}/conversation.json`;

/** For the watcher, which then does not check the trash, the locks and other files. */
function onlyConversationFiles(folder: string): readonly string[] | undefined {
  if (folder === '') return undefined;
  return CONVERSATION_ID.test(folder) ? ['conversation.json'] : [];
}

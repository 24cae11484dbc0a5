/**
 * Reads `conversation.json` files (through the cache, while the file's stamp is the same), writes them under
 * a lock, and creates new conversations (id-allocator.ts chooses their ids).
 */
import { sep } from 'node:path';
import { runInSlices } from '../../../base/async/time-slice.js';
import { type Clock, isoTime } from '../../../base/clock.js';
import { AppError, isAppError } from '../../../base/errors.js';
import { type Durability, syncFolder } from '../../../files/atomic/atomic-write.js';
import type { Outcome } from '../../../files/atomic/group-commit.js';
import type { HeldLock } from '../../../files/locks/file-lock.js';
import { removeEmptyFolder } from '../../../files/paths/folders.js';
import { documentSteps } from '../../../files/read/json-document.js';
import { isPresentSoon, readSettled } from '../../../files/read/settled-read.js';
import { isSameStamp, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import { MAX_DOCUMENT_BYTES, readWhole, readWholeAtOnce } from '../../../files/read/whole-file.js';
import type { Codec } from '../../../files/sealing/text-codec.js';
import { notFound } from '../conversation-errors.js';
import {
  type AppendRequest,
  type Applied,
  applyAppends,
  type Limits,
} from '../document/apply-appends.js';
import { ConversationDocument } from '../document/document.js';
import { jsonCopy } from '../document/json-copy.js';
import { conversationSteps } from '../document/parse-conversation.js';
import type { SourceLocation } from '../document/parse-fields.js';
import type { ConversationHead } from '../document/schema.js';
import { isLossyHandEdit } from '../versions/hand-edits.js';
import { type CachedDocument, DocumentCache } from './document-cache.js';
import { IdAllocator } from './id-allocator.js';
import {
  type ConversationPart,
  type MessageRange,
  mayHaveOutline,
  type Outline,
  Outlines,
  outlineOf,
  partOf,
} from './message-positions.js';

/** Another server that starts may remove the empty folder. The creator then claims an id again. */
const MAX_CLAIMS = 5;

export interface ConversationFilesOptions {
  logsFolder: string;
  durability: Durability;
  clock: Clock;
  codec: Codec;
  archivedIds: ReadonlySet<string>;
  /** Resolves when the outlines of a cache were added, if a cache is being loaded. */
  seeded(): Promise<void>;
  /** Throws STORAGE_UNAVAILABLE while the store is away. Then only cached conversations can be read. */
  requireHere(): void;
  /** Called with every version that this process wrote or read. */
  onVersion(version: Version): void;
  /** Called with the version in memory if a person changed or removed messages in the file. */
  onOverwritten(before: ConversationDocument): void;
}

export interface Version extends CachedDocument {
  /** The earlier version, if this version only adds messages to it. */
  appendedTo?: { stamp: Stamp; messageCount: number };
}

export interface WriteOptions {
  /** The current time, unless given. */
  updatedAt?: string | undefined;
  /** See `HeldLock.replace`. */
  isLast?: boolean;
  /** The number of leading messages that did not change. All committed messages, unless given. */
  unchangedMessages?: number;
  /** The file must not exist. If another process has created it meanwhile, the lock's work runs again. */
  isNew?: boolean;
}

export class ConversationFiles {
  readonly #options: ConversationFilesOptions;
  readonly #cache = new DocumentCache();
  /** The versions in memory before writes that failed. The next read compares the file with them. */
  readonly #beforeFailure = new Map<string, CachedDocument>();
  /** The outlines of large files that this process read as a whole, or that a cache has. */
  readonly outlines: Outlines;
  /** The running reads. A second read of the same version waits for the first. */
  readonly #reading = new Map<string, Promise<CachedDocument | undefined>>();
  readonly ids: IdAllocator;

  constructor(options: ConversationFilesOptions) {
    this.#options = options;
    this.outlines = new Outlines(options.codec);
    this.ids = new IdAllocator(options);
  }

  folderOf(conversationId: string): string {
    return `${this.#options.logsFolder}${sep}${conversationId}`; // as in `fileOf`
  }

  fileOf(conversationId: string): string {
    // Called for thousands of files in a row. `join` would return the same path in ten times the time.
    return `${this.#options.logsFolder}${sep}${conversationId}${sep}conversation.json`;
  }

  /** Returns the conversation on disk now; `undefined` if there is none. */
  async read(conversationId: string): Promise<CachedDocument | undefined> {
    const cached = this.#cache.get(conversationId);
    if (cached !== undefined) {
      if (isSameStamp(stampIfAny(this.fileOf(conversationId)), cached.stamp)) return cached;
    }
    const found = await this.#readPresent(conversationId, cached);
    if (found === undefined) this.uncache(conversationId);
    else if (found !== cached) this.#cacheIfCurrent(found);
    return found;
  }

  /** Like `read`, with some of the messages. Reads only those of a large file that was read before. */
  async readPart(id: string, range: MessageRange): Promise<ConversationPart | undefined> {
    const path = this.fileOf(id);
    if (this.#cache.get(id) === undefined) {
      if (mayHaveOutline(stampIfAny(path)?.size)) await this.#options.seeded();
      const part = await this.outlines.read(id, path, range);
      if (part !== undefined) return part;
    }
    const found = await this.read(id);
    return found && partOf(found.document, range);
  }

  /** While the store is away, returns the cached version; STORAGE_UNAVAILABLE if there is none. */
  async #readPresent(id: string, cached: CachedDocument | undefined) {
    try {
      const path = this.fileOf(id);
      const found = await this.readUncached(id, path, readWholeAtOnce);
      if (found !== undefined) return found;
      this.#options.requireHere();
      if (!(await isPresentSoon(path, this.#options.clock))) return undefined;
      return await this.readUncached(id, path, readWholeAtOnce);
    } catch (error) {
      if (!isAppError(error)) throw error;
      try {
        this.#options.requireHere();
      } catch (away) {
        if (cached === undefined) throw away;
        return cached;
      }
      throw error;
    }
  }

  /**
   * Caches a version that was read without a lock, unless the file was replaced since. Then the writer has
   * already notified the listeners.
   */
  #cacheIfCurrent(found: CachedDocument): void {
    const { conversationId } = found.document.head;
    if (!isSameStamp(readStampNow(this.fileOf(conversationId)), found.stamp)) return;
    this.#cache.set(conversationId, found);
    this.#options.onVersion(found);
  }

  /** Must be called after the conversation's folder was moved. */
  uncache(conversationId: string): void {
    this.#cache.delete(conversationId);
    this.#beforeFailure.delete(conversationId);
    this.outlines.delete(conversationId);
  }

  /** For passes over the store, which would evict what is in use, and for files elsewhere. */
  async readUncached(
    conversationId: string,
    path = this.fileOf(conversationId),
    bytesOf: typeof readWholeAtOnce = readWhole,
  ): Promise<CachedDocument | undefined> {
    if (path !== this.fileOf(conversationId)) return this.#readFile(conversationId, path, bytesOf);
    const underWay = this.#reading.get(conversationId);
    if (underWay !== undefined) {
      const found = await underWay.catch(() => undefined);
      if (found !== undefined && isSameStamp(readStampNow(path), found.stamp)) return found;
    }
    const reading = this.#readFile(conversationId, path, bytesOf);
    this.#reading.set(conversationId, reading);
    try {
      const version = await reading;
      if (version !== undefined) this.#reportHandEdit(conversationId, version);
      return version;
    } finally {
      if (this.#reading.get(conversationId) === reading) this.#reading.delete(conversationId);
    }
  }

  async #readFile(
    conversationId: string,
    path: string,
    bytesOf: typeof readWholeAtOnce,
  ): Promise<CachedDocument | undefined> {
    const { codec, clock } = this.#options;
    let outline: Outline | undefined;
    const found = await readSettled(
      path,
      async ({ bytes, stamp }) => {
        const steps = stepsOf(bytes, { path, conversationId }, codec);
        const { document, hasSeparateMessages, isSealed, parts } = await runInSlices(steps);
        const sizeBytes = bytes.byteLength;
        const isAsStored = hasSeparateMessages && BigInt(sizeBytes) === stamp.size;
        outline = isAsStored ? outlineOf(document, parts, { sizeBytes, isSealed }) : undefined;
        return document;
      },
      clock,
      bytesOf,
    );
    if (found === undefined) return undefined;
    const { value: document, stamp } = found;
    if (outline !== undefined && path === this.fileOf(conversationId)) {
      this.outlines.set(stamp, document.head, outline);
    }
    return { document, stamp };
  }

  /** Reports a hand edit that changed or removed messages. version-files.ts stores the earlier version. */
  #reportHandEdit(conversationId: string, now: CachedDocument): void {
    const before = this.#cache.get(conversationId) ?? this.#beforeFailure.get(conversationId);
    if (before === undefined) return;
    if (!isSameStamp(readStampNow(this.fileOf(conversationId)), now.stamp)) return;
    this.#beforeFailure.delete(conversationId);
    if (isSameStamp(before.stamp, now.stamp)) return;
    this.#cache.delete(conversationId);
    if (isLossyHandEdit(before.document, now.document))
      this.#options.onOverwritten(before.document);
  }

  /** Returns the bytes of the file and the head after this write. TOO_LARGE. */
  async rendered(document: ConversationDocument, updatedAt: string) {
    const head = document.nextHead(updatedAt);
    await runInSlices(document.serialiseNew());
    const bytes = document.render(head);
    const { conversationId } = head;
    if (bytes.byteLength > MAX_DOCUMENT_BYTES) {
      throw tooLarge(this.fileOf(conversationId), conversationId);
    }
    return { head, bytes };
  }

  /** Must be called with a new file that was written without `write`. It is not cached. */
  created(document: ConversationDocument, stamp: Stamp): void {
    this.#options.onVersion({ document, stamp });
  }

  /** Commits the document's changes. After a failure, the next use reads the disk again. */
  async write(
    lock: HeldLock,
    document: ConversationDocument,
    options: WriteOptions,
  ): Promise<void> {
    const { updatedAt = isoTime(this.#options.clock.now()), isLast = false } = options;
    const { conversationId } = document.head;
    const { unchangedMessages: messageCount = document.head.messageCount } = options;
    const known = options.isNew ? undefined : this.#cache.get(conversationId);
    const base = known?.stamp;
    const path = this.fileOf(conversationId);
    try {
      const { head, bytes } = await this.rendered(document, updatedAt);
      await lock.replace(path, bytes, this.#options.durability, {
        base: options.isNew ? null : base,
        isLast,
        // Notifies before the fsync, because another process may write the next version before the fsync
        // ends.
        onReplaced: (stamp) => {
          document.commit(head);
          this.#cache.set(conversationId, { document, stamp });
          const appendedTo = base && { stamp: base, messageCount };
          this.#options.onVersion({ document, stamp, ...(appendedTo && { appendedTo }) });
        },
      });
    } catch (error) {
      this.#cache.delete(conversationId);
      if (known !== undefined) {
        const before = { document: known.document.committed(), stamp: known.stamp };
        this.#beforeFailure.set(conversationId, before);
      }
      throw error;
    }
  }

  /**
   * Adds the messages of `requests` to the document on disk and writes it, as the last step under `lock`.
   * CONVERSATION_NOT_FOUND, and throws like `read` and `write`.
   */
  async append(
    lock: HeldLock,
    conversationId: string,
    requests: readonly AppendRequest[],
    limits: Limits,
  ): Promise<{ applied: Outcome<Applied>[]; head: ConversationHead }> {
    const found = await this.read(conversationId);
    if (found === undefined) throw notFound(conversationId);
    const { document } = found;
    const applied = applyAppends(document, requests, limits);
    if (document.isChanged) await this.write(lock, document, { isLast: true });
    // The process that wrote the current version may still be waiting for its fsync.
    else await syncFolder(this.folderOf(conversationId), this.#options.durability);
    return { applied, head: document.head };
  }

  /**
   * Creates a conversation under a new id and writes it through `lock`. `fill` adds the first messages; if
   * it returns false, nothing is created. The id has the time of `idFrom`. A given `updatedAt` is unchanged.
   */
  async create(
    lock: HeldLock,
    fields: Partial<ConversationHead>,
    fill: (document: ConversationDocument) => boolean | Promise<boolean>,
    idFrom = fields.createdAt,
  ): Promise<ConversationDocument> {
    const stored = jsonCopy(fields);
    for (let claim = 1; ; claim += 1) {
      const id = await this.ids.claim(idFrom).catch((error: unknown) => {
        this.ids.restart();
        throw error;
      });
      const document = this.newDocument(id, stored);
      try {
        if (await fill(document)) {
          // The folder's name is fsynced before the file exists. Other processes may find the file and add
          // durable messages at once.
          await syncFolder(this.#options.logsFolder, this.#options.durability);
          await this.write(lock, document, { updatedAt: stored.updatedAt, isNew: true });
        } else {
          await removeEmptyFolder(this.folderOf(id));
        }
        return document;
      } catch (error) {
        // Removes only an empty folder, because a file whose fsync failed may already be in use.
        await removeEmptyFolder(this.folderOf(id));
        this.ids.restart();
        const isSwept = isAppError(error) && error.details?.['errno'] === 'ENOENT';
        if (!isSwept || claim === MAX_CLAIMS) throw error;
      }
    }
  }

  /** Returns a document with these fields and no messages. Nothing is written. */
  newDocument(conversationId: string, fields: Partial<ConversationHead>): ConversationDocument {
    const now = isoTime(this.#options.clock.now());
    const head = { conversationId, createdAt: now, updatedAt: now, messageCount: 0, ...fields };
    return new ConversationDocument(head, {}, [], this.#options.codec);
  }
}

function* stepsOf(bytes: Buffer, location: SourceLocation, codec: Codec) {
  const damaged = 'CONVERSATION_CORRUPTED';
  const { value, parts } = yield* documentSteps(bytes, 'messages', location.path, damaged);
  return { ...(yield* conversationSteps(value, location, codec)), parts };
}

/** The document would exceed the size limit for reading it back. */
function tooLarge(path: string, conversationId: string): AppError {
  return new AppError('TOO_LARGE', `Conversation ${conversationId} would be larger than 256 MB.`, {
    hint: 'Nothing was changed. Start a new conversation.',
    details: { path, conversationId },
  });
}

/** `undefined` also if the file cannot be inspected. The read that follows says why. */
function stampIfAny(path: string): Stamp | undefined {
  try {
    return readStampNow(path);
  } catch {
    return undefined;
  }
}

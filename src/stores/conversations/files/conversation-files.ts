/**
 * The `conversation.json` of each conversation: reading it (through the cache, as long as the file's
 * stamp agrees), writing it through a held lock, and making the folder of a new one.
 */
import { join, sep } from 'node:path';
import { type Clock, isoTime } from '../../../base/clock.js';
import { AppError, isAppError } from '../../../base/errors.js';
import { runInSlices } from '../../../base/time-slice.js';
import { type Durability, syncFolder } from '../../../files/atomic/atomic-write.js';
import type { Outcome } from '../../../files/atomic/group-commit.js';
import type { Codec } from '../../../files/codec.js';
import type { HeldLock } from '../../../files/locks/lock-handle.js';
import { claimFolder, removeEmptyFolder } from '../../../files/paths/folders.js';
import {
  documentSteps,
  MAX_DOCUMENT_BYTES,
  readWhole,
  readWholeAtOnce,
} from '../../../files/read/json-doc.js';
import { readSettled } from '../../../files/read/settled-read.js';
import { isSameStamp, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import { ConversationDocument } from '../document/document.js';
import { jsonCopy } from '../document/json-copy.js';
import { conversationSteps } from '../document/parse-conversation.js';
import type { SourceLocation } from '../document/parse-fields.js';
import { type ConversationHead, conversationIdAt } from '../document/schema.js';
import { notFound } from '../refs.js';
import { losesText } from '../versions/loses-text.js';
import { type AppendRequest, type Applied, applyAppends, type Limits } from '../writing/append.js';
import { type CachedDocument, DocumentCache } from './document-cache.js';
import {
  type ConversationPart,
  type MessageRange,
  mayHaveOutline,
  type Outline,
  Outlines,
  outlineOf,
  partOf,
} from './outlines.js';

/** Another server's start may sweep a creator's folder while it is empty. The creator claims again then. */
const MAX_CLAIMS = 5;
/** Thirteen digits, with room for those that follow. */
const LAST_ID_MS = 9_999_000_000_000;
const NO_PAST = { first: -1, next: 0 };

export interface ConversationFilesOptions {
  logsFolder: string;
  durability: Durability;
  clock: Clock;
  codec: Codec;
  /** Resolves when the outlines of a cache, if one is being loaded, are known. */
  seeded(): Promise<void>;
  /** Throws while the store is away: then only what is in memory can be read. */
  requireHere(): void;
  /** Called with every version that this process wrote or came across. */
  onVersion(version: Version): void;
  /** Called with the version in memory when a person edited the file and its messages are changed or missing. */
  onOverwritten(before: ConversationDocument): void;
}

export interface Version extends CachedDocument {
  /** What this version only added messages to. */
  appendedTo?: { stamp: Stamp; messageCount: number };
}

export interface WriteOptions {
  /** Now, unless given. */
  updatedAt?: string | undefined;
  /** See `HeldLock.replace`. */
  isLast?: boolean;
  /** So many messages from the first are as they were; all that were committed, unless given. */
  unchangedMessages?: number;
  /** The file must not exist. If another process has created it meanwhile, the lock's work runs again. */
  isNew?: boolean;
}

export class ConversationFiles {
  readonly #options: ConversationFilesOptions;
  readonly #cache = new DocumentCache();
  /** Of the large files that this process read as a whole, or that a cache has. */
  readonly outlines: Outlines;
  /** Reads of conversations that are under way: who asks for the same version waits for it. */
  readonly #reading = new Map<string, Promise<CachedDocument | undefined>>();
  #lastIdMs = 0;
  /** Where the search for a free id of a past time began, and got to. */
  #lastPast = NO_PAST;

  constructor(options: ConversationFilesOptions) {
    this.#options = options;
    this.outlines = new Outlines(options.codec);
  }

  folderOf(conversationId: string): string {
    return join(this.#options.logsFolder, conversationId);
  }

  fileOf(conversationId: string): string {
    // Asked for thousands of files in a row: what `join` would make of it, for a tenth of the time.
    return `${this.#options.logsFolder}${sep}${conversationId}${sep}conversation.json`;
  }

  /** What is on disk now; `undefined` where there is no such conversation. */
  async read(conversationId: string): Promise<CachedDocument | undefined> {
    const cached = this.#cache.get(conversationId);
    if (cached !== undefined) {
      if (isSameStamp(readStampNow(this.fileOf(conversationId)), cached.stamp)) return cached;
    }
    const found = await this.#readPresent(conversationId, cached);
    if (found === undefined) this.uncache(conversationId);
    else if (found !== cached) this.#keep(found);
    return found;
  }

  /** The same with some of its messages; of a large file that was read before, only those are read. */
  async readPart(id: string, range: MessageRange): Promise<ConversationPart | undefined> {
    const path = this.fileOf(id);
    if (this.#cache.get(id) === undefined) {
      if (mayHaveOutline(readStampNow(path)?.size)) await this.#options.seeded();
      const part = await this.outlines.read(id, path, range);
      if (part !== undefined) return part;
    }
    const found = await this.read(id);
    return found && partOf(found.document, range);
  }

  /** While the store is away, what is in memory; without that STORAGE_UNAVAILABLE. */
  async #readPresent(id: string, cached: CachedDocument | undefined) {
    try {
      const found = await this.readUncached(id, this.fileOf(id), readWholeAtOnce);
      if (found === undefined) this.#options.requireHere();
      return found;
    } catch (error) {
      if (cached === undefined || !isAppError(error)) throw error;
      try {
        this.#options.requireHere();
      } catch {
        return cached;
      }
      throw error;
    }
  }

  /** Caches what was read without a lock, unless it was replaced since; that writer has notified then. */
  #keep(found: CachedDocument): void {
    const { conversationId } = found.document.head;
    if (!isSameStamp(readStampNow(this.fileOf(conversationId)), found.stamp)) return;
    this.#cache.set(conversationId, found);
    this.#options.onVersion(found);
  }

  /** Call it after the conversation's folder was moved. */
  uncache(conversationId: string): void {
    this.#cache.delete(conversationId);
    this.outlines.delete(conversationId);
  }

  /**
   * For passes over the whole store, which would only push out what is in use, and for files that
   * lie elsewhere.
   */
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
      if (version !== undefined) this.#compare(conversationId, version);
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

  /**
   * Reports an edit by hand. Daybook's own writes set `updatedAt`, and the writer keeps the version
   * before; people leave it as it is.
   */
  #compare(conversationId: string, now: CachedDocument): void {
    const before = this.#cache.get(conversationId);
    if (before === undefined || isSameStamp(before.stamp, now.stamp)) return;
    if (!isSameStamp(readStampNow(this.fileOf(conversationId)), now.stamp)) return;
    this.#cache.delete(conversationId);
    const isByHand = before.document.head.updatedAt === now.document.head.updatedAt;
    const messages = () => [before, now].map(({ document }) => document.snapshot().messages);
    const [old = [], current = []] = isByHand ? messages() : [];
    if (losesText(old, current)) this.#options.onOverwritten(before.document);
  }

  /** What a write makes of the document, and the head that it has then. TOO_LARGE. */
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

  /** Call it with a new file that was written without `write`. It is not cached. */
  created(document: ConversationDocument, stamp: Stamp): void {
    this.#options.onVersion({ document, stamp });
  }

  /** Commits the document's changes; after a failure the disk is read again at the next use. */
  async write(
    lock: HeldLock,
    document: ConversationDocument,
    options: WriteOptions,
  ): Promise<void> {
    const { updatedAt = isoTime(this.#options.clock.now()), isLast = false } = options;
    const { conversationId } = document.head;
    const { unchangedMessages: messageCount = document.head.messageCount } = options;
    const base = options.isNew ? undefined : this.#cache.get(conversationId)?.stamp;
    const path = this.fileOf(conversationId);
    try {
      const { head, bytes } = await this.rendered(document, updatedAt);
      await lock.replace(path, bytes, this.#options.durability, {
        base: options.isNew ? null : base,
        isLast,
        // At once: another process may have written the next version before the disk confirms this one.
        onReplaced: (stamp) => {
          document.commit(head);
          this.#cache.set(conversationId, { document, stamp });
          const appendedTo = base && { stamp: base, messageCount };
          this.#options.onVersion({ document, stamp, ...(appendedTo && { appendedTo }) });
        },
      });
    } catch (error) {
      this.#cache.delete(conversationId);
      throw error;
    }
  }

  /**
   * Adds what `requests` bring to the document on disk and writes it, as the last step under `lock`.
   * CONVERSATION_NOT_FOUND, and like `read` and `write`.
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
   * A new conversation under an id of its own, written through `lock`. `fill` puts the first
   * messages in, and returns false to create nothing. With a `createdAt` the id has that
   * time, and an `updatedAt` stays as given.
   */
  async create(
    lock: HeldLock,
    fields: Partial<ConversationHead>,
    fill: (document: ConversationDocument) => boolean | Promise<boolean>,
  ): Promise<ConversationDocument> {
    const stored = jsonCopy(fields);
    for (let claim = 1; ; claim += 1) {
      const id = await this.#claimId(stored.createdAt).catch((error: unknown) => {
        this.#lastPast = NO_PAST; // so that a second attempt gets the same id
        throw error;
      });
      const document = this.newDocument(id, stored);
      const { conversationId } = document.head;
      try {
        if (await fill(document)) {
          // Before the file exists: others find it at once, and what they add must be durable.
          await syncFolder(this.#options.logsFolder, this.#options.durability);
          await this.write(lock, document, { updatedAt: stored.updatedAt, isNew: true });
        } else {
          await removeEmptyFolder(this.folderOf(conversationId));
        }
        return document;
      } catch (error) {
        // Only the folder, and only if empty: a file that could not be confirmed may be in use.
        await removeEmptyFolder(this.folderOf(conversationId));
        this.#lastPast = NO_PAST;
        const isSwept = isAppError(error) && error.details?.['errno'] === 'ENOENT';
        if (!isSwept || claim === MAX_CLAIMS) throw error;
      }
    }
  }

  /** A millisecond is added until the name is free. */
  async #claimId(createdAt: string | undefined): Promise<string> {
    const first = this.firstIdMs(createdAt);
    // Conversations without times of their own come with one time for all of them.
    const start = this.#lastPast.first === first ? this.#lastPast.next : first;
    for (let ms = start; ; ms += 1) {
      if (createdAt === undefined) this.#lastIdMs = ms;
      else this.#lastPast = { first, next: ms + 1 };
      const id = conversationIdAt(ms);
      if (await claimFolder(this.folderOf(id))) return id;
    }
  }

  /** Of the first id to try. An id has room for the years 1970 to 2286; other times are clamped. */
  firstIdMs(createdAt: string | undefined): number {
    if (createdAt === undefined) return Math.max(this.#options.clock.now(), this.#lastIdMs + 1);
    return Math.min(Math.max(Date.parse(createdAt), 0), LAST_ID_MS);
  }

  /** With these fields and no messages; nothing of it is on the disk. */
  newDocument(conversationId: string, fields: Partial<ConversationHead>): ConversationDocument {
    const now = isoTime(this.#options.clock.now());
    const head = { conversationId, createdAt: now, updatedAt: now, messageCount: 0, ...fields };
    return new ConversationDocument(head, {}, [], this.#options.codec);
  }
}

function* stepsOf(bytes: Buffer, location: SourceLocation, codec: Codec) {
  const { value, parts } = yield* documentSteps(
    ...([bytes, 'messages', location.path, 'CONVERSATION_CORRUPTED'] as const),
  );
  return { ...(yield* conversationSteps(value, location, codec)), parts };
}

/** The document would exceed the size limit for reading it back. */
function tooLarge(path: string, conversationId: string): AppError {
  return new AppError('TOO_LARGE', `Conversation ${conversationId} would be larger than 256 MB.`, {
    hint: 'Nothing was changed. Start a new conversation.',
    details: { path, conversationId },
  });
}

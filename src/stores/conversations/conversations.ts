/**
 * The store of conversations. Each has a dated folder with a `conversation.json`, which is replaced as a
 * whole under a lock between processes (docs/FORMAT.md). A conversation in memory is used only while the
 * file's stamp is the same, so edits by others are always read. Damaged files are never written.
 */
import type { AppError } from '../../base/errors.js';
import { makeFolder } from '../../files/atomic/atomic-write.js';
import { GroupCommits } from '../../files/atomic/group-commit.js';
import { keepOutOfGit } from '../../files/paths/git-ignore.js';
import type { Stamp } from '../../files/read/stamp.js';
import { requirePresent } from '../../files/store-presence.js';
import type { WatcherStatus } from '../../files/watcher/watcher.js';
import { invalidRef, notFound } from './conversation-errors.js';
import {
  ConversationTrash,
  type Restored,
  type TrashedConversation,
} from './conversation-trash.js';
import { DeferredMessages } from './deferred/deferred-messages.js';
import type { AppendOptions, AppendRequest, NewMessage } from './document/apply-appends.js';
import { withIds } from './document/apply-appends.js';
import type { Revision } from './document/apply-revision.js';
import { CONVERSATION_ID, requireRef } from './document/conversation-id.js';
import type { ConversationDocument } from './document/document.js';
import { changeUnless, type HeadChange, type UpdateOptions } from './document/head-change.js';
import type { Conversation, ConversationHead } from './document/schema.js';
import { type ConversationChange, ignoredFolders } from './files/conversation-catalogue.js';
import type { ConversationPart, MessageRange } from './files/message-positions.js';
import { exists, idForWriting } from './key-lookup.js';
import { type ConversationPage, ListPages, type PageRequest } from './listing/cursor-pages.js';
import type { ListQuery } from './listing/list-query.js';
import { ConversationReader } from './reader.js';
import { cleanUpStore } from './startup-cleanup.js';
import { type CachedParts, type ConversationStoreOptions, StoreCore } from './store-core.js';
import { History } from './versions/history.js';
import { VersionFiles } from './versions/version-files.js';
import type { CopyOptions } from './writing/branch-and-merge-content.js';
import { createBranch } from './writing/branches.js';
import { addRestored, type Restorable } from './writing/drop-taken-key.js';
import { EditorCopies } from './writing/editor-copy.js';
import { type Merged, Merges, requireDifferent } from './writing/merges.js';
import { MessageEdits } from './writing/message-edits.js';
import type { AppendResult, Created, NewConversation } from './writing/writer.js';
import { ConversationWriter } from './writing/writer.js';

export type {
  AppendOptions,
  AppendResult,
  ConversationPart,
  ConversationStoreOptions,
  HeadChange,
  ListQuery,
  Merged,
  NewConversation,
  NewMessage,
  Restored,
  TrashedConversation,
};

/** A conversation in memory, without a copy of its messages. */
export type ConversationView = Pick<ConversationDocument, 'head' | 'message'>;

/** Opens the store. Unless `isReading`, creates a missing folder and its `.gitignore`. FILESYSTEM_ERROR. */
export async function openConversationStore(
  options: ConversationStoreOptions,
): Promise<ConversationStore> {
  if (!options.isReading) {
    await makeFolder(options.logsFolder, options);
    await keepOutOfGit(options.logsFolder, options);
  }
  return new ConversationStore(options);
}

/** `ref`: a conversation id or a client key. Anything else is VALIDATION_ERROR before any file access. */
export class ConversationStore {
  readonly #core: StoreCore;
  readonly #writer: ConversationWriter;
  readonly #commits: GroupCommits<AppendRequest, AppendResult>;
  readonly #trash: ConversationTrash;
  readonly #merges: Merges;
  readonly #versions: VersionFiles;
  readonly #pages = new ListPages();
  readonly #reader: ConversationReader;
  readonly history: History;
  readonly edits: MessageEdits;
  readonly editorCopies: EditorCopies;
  readonly deferred: DeferredMessages;
  readonly batches: ConversationWriter['batches'];
  /** The number of conversations in the trash. Reads no file. FILESYSTEM_ERROR. */
  readonly countTrashed = (): Promise<number> => this.#trash.count();
  /** The size of the files of all conversations; `undefined` before all were found. */
  readonly knownBytes = (): Promise<number | undefined> => this.#core.catalogue.knownBytes();
  /** For a conversation that is restored from an archive (`writing/drop-taken-key.ts`). */
  readonly addRestored = (head: Restorable, add: () => Promise<void>) =>
    addRestored(this.#core, head, add);

  constructor(options: ConversationStoreOptions) {
    this.#core = new StoreCore(options);
    this.#versions = new VersionFiles(this.#core);
    this.#writer = new ConversationWriter(this.#core, this.#versions);
    this.#commits = new GroupCommits((ref, requests) => this.#writer.commit(ref, requests));
    this.batches = this.#writer.batches;
    const commit = this.#commit.bind(this);
    this.deferred = new DeferredMessages(this.#core, { writer: this.#writer, commit });
    this.#reader = new ConversationReader(this.#core, this.deferred);
    this.history = new History(this.#core, this.#writer, this.#versions);
    this.edits = new MessageEdits(this.#core, this.#writer);
    this.editorCopies = new EditorCopies(this.#core, this.#writer, this.#versions);
    this.#trash = new ConversationTrash(this.#core);
    this.#merges = new Merges(this.#core, this.#writer, this.#trash);
  }

  /**
   * Creates a conversation. Durable when it resolves, unless it may wait in memory (`mayDefer`).
   * STORAGE_FULL, FILESYSTEM_ERROR, LOCKED, CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent),
   * ALREADY_EXISTS (key), VALIDATION_ERROR (duplicate message id, invalid time).
   */
  create(conversation: NewConversation): Promise<Created> {
    return this.deferred.create(conversation);
  }

  /** CONVERSATION_NOT_FOUND, CONVERSATION_CORRUPTED, FORMAT_TOO_NEW, DECRYPT, FILESYSTEM_ERROR. */
  async load(ref: string): Promise<Conversation> {
    return (await this.#reader.read(ref)).snapshot();
  }

  /** Like `load`, without a copy of the messages. It changes with later writes. */
  view(ref: string): Promise<ConversationView> {
    return this.#reader.read(ref);
  }

  /** Like `load`, with some of the messages: for a page of a long conversation. */
  part(ref: string, range: MessageRange): Promise<ConversationPart> {
    return this.#reader.part(ref, range);
  }

  /**
   * Like `view`, without the cache, for passes over the whole store. Takes an id; `undefined` if absent.
   * STORAGE_UNAVAILABLE while the store is away.
   */
  async peek(conversationId: string): Promise<ConversationView | undefined> {
    requirePresent(this.path(conversationId));
    const found = await this.#core.files.readUncached(conversationId);
    return found?.document;
  }

  /**
   * Appends all `messages` in one write, after those of earlier calls; all or nothing. Durable when it
   * resolves, unless they may wait in memory (`mayDefer`). Derives a missing title from the first message of
   * a user. Throws like `load`, and CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent), STORAGE_FULL, LOCKED.
   */
  async append(ref: string, messages: readonly NewMessage[], given: AppendOptions = {}) {
    const start = this.#core.maskedCreateFields(given);
    const options = start instanceof Promise ? await start : start;
    const turn = this.#core.maskedMessages(messages);
    const { messages: clean, ...noted } = turn instanceof Promise ? await turn : turn;
    const request = { messages: options.mayDefer ? withIds(clean) : clean, options };
    return { ...(await this.#append(ref, request)), ...noted };
  }

  /** With `mayDefer`, the messages are masked and have ids. */
  #append(ref: string, request: AppendRequest): Promise<AppendResult> {
    const now = () => this.#commit(ref, request);
    if (!request.options.mayDefer) return now();
    const later = () => this.deferred.append(ref, request);
    if (this.#core.waiting.size > 0) return this.deferred.queue.run(now, later);
    return now().catch((error: unknown) => this.deferred.queue.enqueueAfter(error, later));
  }

  /** Requests that wait for the same conversation are written together. */
  async #commit(ref: string, request: AppendRequest): Promise<AppendResult> {
    requireRef(ref);
    return this.#core.track(this.#commits.add(ref, request));
  }

  /**
   * Changes fields other than messages, in order with appends, and sets `updatedAt` if one differs. Durable
   * when it resolves, unless it may wait in memory (`mayDefer`). Throws like `append`.
   */
  async update(ref: string, given: HeadChange, { mayDefer = false, unless }: UpdateOptions = {}) {
    const turn = this.#core.maskedValue(given);
    const change = changeUnless(turn instanceof Promise ? await turn : turn, unless);
    return (await this.#append(ref, { messages: [], options: { mayDefer }, change })).head;
  }

  /**
   * Replaces messages or fields, for imports. `decide` gets the conversation on disk, under the lock. The
   * earlier version is stored if messages change. Durable when it resolves. Takes an id. Throws like `append`.
   */
  revise(
    conversationId: string,
    decide: (current: Conversation) => Revision | undefined,
  ): Promise<ConversationHead> {
    this.path(conversationId);
    return this.#writer.revise(conversationId, decide, 'import');
  }

  /** Moves the whole folder to the trash. CONFLICT while a research run is active. */
  async trash(ref: string): Promise<{ conversationId: string; name: string; path: string }> {
    const conversationId = await this.#requireId(ref);
    const name = await this.#core.track(this.#trash.trash(conversationId));
    return { conversationId, name, path: this.#trash.pathOf(name) };
  }

  /** Like `trash`, or `remove` with `permanent`; `undefined` if `condition` is false on disk. Takes an id. */
  async trashIf(...how: Parameters<ConversationTrash['trashIf']>): Promise<string | undefined> {
    this.path(how[0]);
    return this.#core.track(this.#trash.trashIf(...how));
  }

  /** Removes the conversation permanently; returns its id. Throws like `trash`. */
  async remove(ref: string): Promise<string> {
    const conversationId = await this.#requireId(ref);
    await this.#core.track(this.#trash.remove(conversationId));
    return conversationId;
  }

  /** Lists the trash, the last deleted first. Reads every file there. */
  async trashed(): Promise<TrashedConversation[]> {
    await this.#merges.recover();
    return this.#trash.list();
  }

  /** Restores a name in the trash; for an id or key, the last deleted. Throws like `create` and `purge`. */
  async restore(ref: string): Promise<Restored> {
    await this.#merges.recover();
    return this.#core.track(this.#trash.restore(ref));
  }

  /** Removes the name from the trash permanently; for an id, the last deleted. CONVERSATION_NOT_FOUND. */
  purge(nameOrId: string): Promise<void> {
    return this.#core.track(this.#trash.purge(nameOrId));
  }

  /**
   * Creates a conversation with copies of the messages up to and including `messageId`, under new message
   * ids, and of the attachments that they name, with the title, module and tags of the source. Throws like
   * `load` and `create`; MESSAGE_NOT_FOUND.
   */
  async branch(ref: string, messageId: string, options: CopyOptions = {}): Promise<Conversation> {
    const source = await this.load(ref);
    return this.#core.track(createBranch(this.#core, this.#writer, source, messageId, options));
  }

  /**
   * Creates one conversation with the messages of both, sorted by time, and moves the two to the trash: all
   * or nothing, even if the process is killed. Throws like `trash` and `create`.
   */
  async merge(firstRef: string, secondRef: string, options: CopyOptions = {}): Promise<Merged> {
    const first = await this.#requireId(firstRef);
    const second = await this.#requireId(secondRef);
    requireDifferent(first, second);
    return this.#core.track(this.#merges.merge(first, second, options));
  }

  /**
   * Removes `conversation.json` permanently if `condition` is true for the conversation on disk. Returns
   * whether it was removed. Takes an id. Other files in the folder are not removed.
   */
  async removeIf(
    conversationId: string,
    condition: (current: Conversation) => boolean,
  ): Promise<boolean> {
    this.path(conversationId);
    return this.#writer.removeIf(conversationId, condition);
  }

  /** Returns all heads, the newest `updatedAt` first. Damaged files are left out (see `damaged`). */
  async list(): Promise<ConversationHead[]> {
    return [...(await this.#core.heads())];
  }

  /**
   * Returns a page, newest `updatedAt` first. A cursor continues the list in the order of the first page, so
   * that none is skipped or returned twice. VALIDATION_ERROR: the cursor is not one of this query.
   */
  async page(query: ListQuery, request: PageRequest): Promise<ConversationPage> {
    const heads = await this.#core.heads(this.#pages.candidates(request));
    const now = (id: string) => this.knownHead(id);
    return this.#pages.page({ heads, now, nowMs: this.#core.clock.now() }, query, request);
  }

  /** Returns the conversations that could not be read at the last `list`. */
  damaged(): { conversationId: string; error: AppError }[] {
    const damaged = this.#core.catalogue.damaged();
    return damaged.map(({ name, error }) => ({ conversationId: name, error }));
  }

  /** Returns keys that several conversations had at the last `list`, with their ids, the oldest first. */
  duplicateKeys(): { clientId: string; conversationIds: readonly string[] }[] {
    return this.#core.catalogue.duplicateKeys();
  }

  /** Returns the folders with a `conversation.json` whose names are not ids. FILESYSTEM_ERROR. */
  ignoredFolders(): Promise<string[]> {
    return ignoredFolders(this.#core.options.logsFolder);
  }

  exists(ref: string): Promise<boolean> {
    return exists(this.#core, ref);
  }

  /** Returns the absolute path of the conversation's folder. Takes an id, not a key. */
  path(conversationId: string): string {
    if (!CONVERSATION_ID.test(conversationId)) throw invalidRef(conversationId);
    return this.#core.files.folderOf(conversationId);
  }

  /**
   * Calls `listener` with every later change, before the call that made it resolves. `watch` and `refresh`
   * call it for existing conversations too, except those of `seed`, and await the promise that it returns.
   */
  follow(listener: (change: ConversationChange) => unknown): void {
    this.#core.catalogue.follow(listener);
    this.#core.catalogue.invalidate();
  }

  /** Like `follow`, without calls for existing conversations. Returns the unsubscribe function. */
  followFromNow(listener: (change: ConversationChange) => void): () => void {
    return this.#core.catalogue.follow(listener);
  }

  /** Adds an entry of a cache, within `seedBy`. Returns false, and changes nothing, if it is known. */
  seed(stamp: Stamp, head: ConversationHead, parts: CachedParts = {}): boolean {
    return this.#core.seed(stamp, head, parts);
  }

  /** Runs `load`, which adds cache entries with `seed`. Listings wait for it. It must not reject. */
  seedBy(load: () => Promise<void>): Promise<void> {
    return this.#core.catalogue.seedBy(load);
  }

  /** Yields all readable conversations that are known now, with the stamps at which they were read. */
  known(): ReturnType<StoreCore['known']> {
    return this.#core.known();
  }

  /** Returns the head of a conversation from memory, without disk access. */
  knownHead(conversationId: string): ConversationHead | undefined {
    return this.#core.catalogue.head(conversationId);
  }

  /** Checks every conversation on disk once and notifies the listeners of changes. FILESYSTEM_ERROR. */
  refresh(): Promise<void> {
    return this.#core.catalogue.refresh();
  }

  /** Like `refresh`, for one conversation. Takes an id, not a key. */
  refreshOne(conversationId: string): Promise<void> {
    return this.#core.catalogue.refreshSome([conversationId]);
  }

  /** Returns the status of the watcher; `undefined` while nothing is watched. */
  watching(): WatcherStatus | undefined {
    return this.#core.watching();
  }

  /** The number of conversations that the current pass has checked, and the number of all. */
  get progress(): { readonly done: number; readonly total: number } {
    return this.#core.catalogue.progress;
  }

  /**
   * Watches the folder: listeners are notified of edits by others within one second, or within five if the
   * conversation is old. Resolves when everything was read once. FILESYSTEM_ERROR; then nothing is watched.
   */
  async watch(): Promise<void> {
    // Another process may have died in the middle of a merge.
    await this.#core.watch(() => this.#recoverLater());
    this.#recoverLater();
  }

  /** Removes or finishes what dead processes left; see cleanUpStore. */
  tidy(background?: { readonly signal: AbortSignal }): Promise<void> {
    return cleanUpStore(this.#core, this.#merges, this.#trash, this.#versions, background);
  }

  /** Resolves when every accepted write has ended. */
  async close(): Promise<void> {
    await this.deferred.queue.close();
    await this.#core.close();
  }

  /** Finishes interrupted merges before a conversation is moved. */
  async #requireId(ref: string): Promise<string> {
    await this.#merges.recover();
    const id = await idForWriting(this.#core, ref);
    if (id === undefined) throw notFound(ref);
    await this.deferred.requireNone(id);
    return id;
  }

  #recoverLater(): void {
    const warn = (error: unknown) =>
      this.#core.log.warn({ err: error }, 'an interrupted merge could not be completed');
    void this.#core.track(this.#merges.recover().catch(warn));
  }
}

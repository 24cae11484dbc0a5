/**
 * Conversations: one dated folder each, with a `conversation.json` that is replaced as a whole under
 * a cross-process lock (docs/FORMAT.md). What is in memory is used only while the file's stamp agrees,
 * so the write of another process or a hand edit is always seen. Damaged files are never written.
 */
import type { AppError } from '../../base/errors.js';
import { yieldToEventLoop } from '../../base/time-slice.js';
import { makeFolder } from '../../files/atomic/atomic-write.js';
import { GroupCommits } from '../../files/atomic/group-commit.js';
import { withLock } from '../../files/locks/file-lock.js';
import { keepOutOfGit } from '../../files/paths/git-ignore.js';
import type { Stamp } from '../../files/read/stamp.js';
import type { WatcherStatus } from '../../files/watcher/watcher.js';
import {
  ConversationTrash,
  type Restored,
  type TrashedConversation,
} from './conversation-trash.js';
import { DeferredMessages } from './deferred/deferred-messages.js';
import type { Revision } from './document/apply-revision.js';
import type { ConversationDocument } from './document/document.js';
import type { HeadChange } from './document/head-change.js';
import { requireReadable } from './document/parse-conversation.js';
import { CONVERSATION_ID, type Conversation, type ConversationHead } from './document/schema.js';
import { type ConversationChange, ignoredFolders } from './files/catalogue.js';
import type { ConversationPart, MessageRange, Outline } from './files/outlines.js';
import { type ConversationPage, ListPages, type PageRequest } from './listing/list-pages.js';
import type { ListQuery } from './listing/list-query.js';
import { ConversationReader } from './reader.js';
import { invalidRef, notFound, requireRef } from './refs.js';
import { cleanUpStore } from './startup-cleanup.js';
import { type ConversationStoreOptions, StoreCore } from './store-core.js';
import { History } from './versions/history.js';
import { VersionFiles, type VersionReason } from './versions/version-files.js';
import type { AppendOptions, AppendRequest, NewMessage } from './writing/append.js';
import { withIds } from './writing/append.js';
import { branchOf, type CopyOptions } from './writing/copies.js';
import { type Merged, Merges, requireTwo } from './writing/merges.js';
import { MessageEdits } from './writing/message-edits.js';
import type { AppendResult, Created, NewConversation } from './writing/writer.js';
import { ConversationWriter } from './writing/writer.js';

export type {
  AppendOptions,
  AppendResult,
  ConversationPage,
  ConversationPart,
  ConversationStoreOptions,
  HeadChange,
  ListQuery,
  Merged,
  NewConversation,
  NewMessage,
  PageRequest,
  Restored,
  Revision,
  TrashedConversation,
};

/** A conversation as it is in memory. */
export type ConversationView = Pick<ConversationDocument, 'head' | 'message'>;

/** Creates the folder and keeps it out of git, where that has not been done; not for a reader. FILESYSTEM_ERROR. */
export async function openConversationStore(
  options: ConversationStoreOptions,
): Promise<ConversationStore> {
  if (!options.isReading) {
    await makeFolder(options.logsFolder, options);
    await keepOutOfGit(options.logsFolder, options);
  }
  return new ConversationStore(options);
}

/** `ref` is a conversation id or a client key; anything else is VALIDATION_ERROR before any file access. */
export class ConversationStore {
  readonly #core: StoreCore;
  readonly #writer: ConversationWriter;
  readonly #commits: GroupCommits<AppendRequest, AppendResult>;
  readonly #trash: ConversationTrash;
  readonly #merges: Merges;
  readonly #versions: VersionFiles;
  readonly #pages = new ListPages();
  readonly #reader: ConversationReader;
  /** Earlier versions, kept where messages were changed or removed. */
  readonly history: History;
  /** Changing and removing single messages. */
  readonly edits: MessageEdits;
  /** The messages that wait in memory while the store cannot be written. */
  readonly deferred: DeferredMessages;

  constructor(options: ConversationStoreOptions) {
    this.#core = new StoreCore(options);
    this.#versions = new VersionFiles(this.#core);
    this.#writer = new ConversationWriter(this.#core, this.#versions);
    this.#commits = new GroupCommits((ref, requests) => this.#writer.commit(ref, requests));
    const create = this.#writer.create.bind(this.#writer);
    this.deferred = new DeferredMessages(this.#core, { create, commit: this.#commit.bind(this) });
    this.#core.whenOverwritten((before) => {
      const { conversationId: id } = before.head;
      return withLock(this.#core.locksFolder, id, () => this.#versions.keep(id, before, 'hand'));
    });
    this.#reader = new ConversationReader(this.#core, this.deferred);
    this.history = new History(this.#core, this.#writer, this.#versions);
    this.edits = new MessageEdits(this.#core, this.#writer);
    this.#trash = new ConversationTrash(this.#core);
    this.#merges = new Merges(this.#core, this.#writer, this.#trash);
  }

  /**
   * Durable when it resolves. Messages may bring their own ids and times (imports), fields a time and
   * a key. STORAGE_FULL, FILESYSTEM_ERROR, LOCKED, CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent),
   * ALREADY_EXISTS (key), VALIDATION_ERROR (an id used twice, no time).
   */
  create(conversation: NewConversation): Promise<Created> {
    return this.deferred.create(conversation);
  }

  /** What is on disk now. CONVERSATION_NOT_FOUND, CONVERSATION_CORRUPTED, FORMAT_TOO_NEW, FILESYSTEM_ERROR. */
  async load(ref: string): Promise<Conversation> {
    return (await this.#reader.read(ref)).snapshot();
  }

  /** The same without a copy of its messages, for callers that need only some of them. Later changes show in it. */
  view(ref: string): Promise<ConversationView> {
    return this.#reader.read(ref);
  }

  /** The same with some of its messages: for a page of a conversation of any length. */
  part(ref: string, range: MessageRange): Promise<ConversationPart> {
    return this.#reader.part(ref, range);
  }

  /** The same for passes over the whole store: takes an id, and keeps nothing. `undefined`: there is none. */
  async peek(conversationId: string): Promise<ConversationView | undefined> {
    this.path(conversationId);
    return (await this.#core.files.readUncached(conversationId))?.document;
  }

  /**
   * All of `messages` in one replace, after those of earlier calls; durable when it resolves, unless they may
   * wait. Throws like `load`, and CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent), STORAGE_FULL, LOCKED: then
   * nothing of this call is in the file. The first message of a user titles a conversation without a title.
   */
  async append(ref: string, messages: readonly NewMessage[], given: AppendOptions = {}) {
    const start = this.#core.screenedStart(given);
    const options = start instanceof Promise ? await start : start;
    const turn = this.#core.screened(messages);
    const { messages: screened, ...noted } = turn instanceof Promise ? await turn : turn;
    const request = { messages: options.mayDefer ? withIds(screened) : screened, options };
    return { ...(await this.deferred.append(ref, request)), ...noted };
  }

  /** What waits for the same conversation is written together. */
  async #commit(ref: string, request: AppendRequest): Promise<AppendResult> {
    requireRef(ref);
    const { create } = request.options;
    if (typeof create === 'object') requireReadable(create);
    return this.#core.track(this.#commits.add(ref, request));
  }

  /**
   * Changes what is known about a conversation besides its messages, in order with appends and
   * durable when it resolves, unless it may wait; sets `updatedAt` where anything differs. Throws like `append`.
   */
  async update(ref: string, given: HeadChange, { mayDefer = false } = {}) {
    const turn = this.#core.screenedValue(given);
    const change = turn instanceof Promise ? await turn : turn;
    return (await this.deferred.append(ref, { messages: [], options: { mayDefer }, change })).head;
  }

  /**
   * For imports: other messages or another head, decided under the lock on what is on disk at that
   * moment; durable when it resolves. If messages change or are removed, the earlier version is stored. Takes an id, not a key. Throws like `append`.
   */
  revise(
    conversationId: string,
    decide: (current: Conversation) => Revision | undefined,
    reason: VersionReason = 'import',
  ): Promise<ConversationHead> {
    this.path(conversationId);
    return this.#writer.revise(conversationId, decide, reason);
  }

  /**
   * Moves the whole folder to the trash; answers the id and its name there. CONFLICT while a research run is
   * under way. A write of another process that waits meanwhile gets CONVERSATION_NOT_FOUND.
   */
  async trash(ref: string): Promise<{ conversationId: string; name: string; path: string }> {
    const conversationId = await this.#requireId(ref);
    const name = await this.#core.track(this.#trash.trash(conversationId));
    return { conversationId, name, path: this.#trash.pathOf(name) };
  }

  /**
   * Moves it to the trash, or with `permanent` removes it, if `condition` holds for what is on disk at that
   * moment. Takes an id. Returns its name there, or its id; `undefined` if the condition does not hold.
   */
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

  /** What is in the trash, the last deleted first. Reads every file there. */
  async trashed(): Promise<TrashedConversation[]> {
    await this.#merges.recover();
    return this.#trash.list();
  }

  /** Takes a name in the trash, or an id or key for the last deleted. CONVERSATION_NOT_FOUND, ALREADY_EXISTS, STORAGE_FULL. */
  async restore(ref: string): Promise<Restored> {
    await this.#merges.recover();
    return this.#core.track(this.#trash.restore(ref));
  }

  /** Permanently removes what is in the trash under that name; for an id, the one deleted last. CONVERSATION_NOT_FOUND. */
  purge(nameOrId: string): Promise<void> {
    return this.#core.track(this.#trash.purge(nameOrId));
  }

  /**
   * A new conversation with the messages up to and with `messageId`, under new message ids; title,
   * module and tags are the source's. Throws like `load` and `create`; MESSAGE_NOT_FOUND.
   */
  async branch(
    ref: string,
    messageId: string,
    { signal, ...options }: CopyOptions = {},
  ): Promise<Conversation> {
    const source = await this.load(ref);
    const branch = branchOf(source, messageId);
    await yieldToEventLoop(signal);
    return this.#writer.create({ ...branch, ...(await this.#core.screenedValue(options)) });
  }

  /**
   * One new conversation with the messages of both by their times, in place of the two, which go to the
   * trash: all or nothing, also when the process is killed. Throws like `trash` and `create`.
   */
  async merge(firstRef: string, secondRef: string, options: CopyOptions = {}): Promise<Merged> {
    const first = await this.#requireId(firstRef);
    const second = await this.#requireId(secondRef);
    requireTwo(first, second);
    return this.#core.track(this.#merges.merge(first, second, options));
  }

  /**
   * Permanently removes the conversation if `condition` holds for what is on disk at that moment; returns
   * whether it did. Takes an id, not a key. If there are files beside `conversation.json`, they stay.
   */
  async removeIf(
    conversationId: string,
    condition: (current: Conversation) => boolean,
  ): Promise<boolean> {
    this.path(conversationId);
    return this.#writer.removeIf(conversationId, condition);
  }

  /** Newest `updatedAt` first. Damaged files are left out (`damaged` has them). */
  async list(): Promise<ConversationHead[]> {
    return [...(await this.#core.heads())];
  }

  /**
   * A page of what matches, newest `updatedAt` first. A cursor leads on in the list as it was when it
   * began, so that nothing is skipped and nothing comes twice while conversations change.
   * VALIDATION_ERROR: no cursor of this query.
   */
  async page(query: ListQuery, request: PageRequest): Promise<ConversationPage> {
    const heads = await this.#core.heads();
    const now = (id: string) => this.knownHead(id);
    return this.#pages.page({ heads, now, nowMs: this.#core.clock.now() }, query, request);
  }

  /** The conversations that could not be read, as of the last `list`. */
  damaged(): { conversationId: string; error: AppError }[] {
    const damaged = this.#core.catalogue.damaged();
    return damaged.map(({ name, error }) => ({ conversationId: name, error }));
  }

  /** Keys that several conversations have, as of the last `list`; each with their ids, the oldest first. */
  duplicateKeys(): { clientId: string; conversationIds: readonly string[] }[] {
    return this.#core.catalogue.duplicateKeys();
  }

  /** Names of folders with a `conversation.json` that nothing reads, since their names are no ids. FILESYSTEM_ERROR. */
  ignoredFolders(): Promise<string[]> {
    return ignoredFolders(this.#core.options.logsFolder);
  }

  exists(ref: string): Promise<boolean> {
    return this.#core.exists(ref);
  }

  /** Absolute path of the conversation's folder. Takes an id, not a key. */
  path(conversationId: string): string {
    if (!CONVERSATION_ID.test(conversationId)) throw invalidRef(conversationId);
    return this.#core.files.folderOf(conversationId);
  }

  /**
   * Calls `listener` with every later change, each conversation's in order and before the call that made it
   * resolves. `watch` and `refresh` notify of what was there before, unless it was seeded, and await what it returns.
   */
  follow(listener: (change: ConversationChange) => unknown): void {
    this.#core.catalogue.follow(listener);
    this.#core.catalogue.invalidate();
  }

  /** The same without what was there before. Returns the unsubscribe function. */
  followFromNow(listener: (change: ConversationChange) => void): () => void {
    return this.#core.catalogue.follow(listener);
  }

  /** Enters an entry of a cache, within `seedBy`. False if listeners were notified of the conversation already. */
  seed(stamp: Stamp, head: ConversationHead, outline?: Outline): boolean {
    return this.#core.seed(stamp, head, outline);
  }

  /** Listings wait for `load`, which seeds: they would read what the cache has. It must not reject. */
  seedBy(load: () => Promise<void>): Promise<void> {
    return this.#core.catalogue.seedBy(load);
  }

  /** Everything readable that is known now, with the stamps at which it was read. */
  known(): ReturnType<StoreCore['known']> {
    return this.#core.known();
  }

  /** What is known of a conversation without a disk access. */
  knownHead(conversationId: string): ConversationHead | undefined {
    return this.#core.catalogue.head(conversationId);
  }

  /** Checks every conversation on disk once and notifies listeners of changes. FILESYSTEM_ERROR. */
  refresh(): Promise<void> {
    return this.#core.catalogue.refresh();
  }

  /** The same for one conversation. Takes an id, not a key. */
  refreshOne(conversationId: string): Promise<void> {
    return this.#core.catalogue.refreshSome([conversationId]);
  }

  /** `undefined` while nothing is watched. */
  watching(): WatcherStatus | undefined {
    return this.#core.watching();
  }

  /** How many conversations the current pass has checked, and how many there are. */
  get progress(): { readonly done: number; readonly total: number } {
    return this.#core.catalogue.progress;
  }

  /**
   * Watches the folder: listeners are notified of edits by hand and by other processes within a second, in
   * conversations that did not change for a long time within five. Resolves when everything was read once
   * (`progress`). FILESYSTEM_ERROR: then nothing is watched. The store must be closed.
   */
  async watch(): Promise<void> {
    // Another process may have died in the middle of a merge.
    await this.#core.watch(() => this.#recoverLater());
    this.#recoverLater();
  }

  /** Removes or finishes what processes left that ended: locks, merges, removals, staged files, empty folders. */
  tidy(): Promise<void> {
    return cleanUpStore(this.#core, this.#merges, this.#trash, this.#versions);
  }

  /** Resolves when every write that was accepted has ended. */
  async close(): Promise<void> {
    await this.deferred.queue.close();
    await this.#core.close();
  }

  /** Finishes merges that were cut short before anything is moved. */
  async #requireId(ref: string): Promise<string> {
    await this.#merges.recover();
    const id = await this.#core.resolveForWriting(ref);
    if (id === undefined) throw notFound(ref);
    await this.deferred.requireNone(id);
    return id;
  }

  #recoverLater(): void {
    const recovering = this.#merges.recover().catch((error: unknown) => {
      this.#core.log.warn({ err: error }, 'a merge that was cut short could not be ended');
    });
    void this.#core.track(recovering);
  }
}

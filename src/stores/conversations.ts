/**
 * Conversations: one dated folder each, with a `conversation.json` that is replaced as a whole under
 * a cross-process lock (docs/FORMAT.md). What waits for the same conversation is written together.
 * What is in memory is used only while the file's stamp agrees, so another process's write or a
 * hand edit is always seen. Damaged files are reported and never written.
 */
import { join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import { newUuid, sha256Hex } from '../base/ids.js';
import { type Log, silentLog } from '../base/log.js';
import { type Durability, makeFolder } from '../files/atomic-write.js';
import { type Codec, plainCodec } from '../files/codec.js';
import { sweepLocks, withLock } from '../files/file-lock.js';
import { listFolders, removeEmptyFolder } from '../files/folders.js';
import { keepOutOfGit } from '../files/git-ignore.js';
import { GroupCommit, type Outcome } from '../files/group-commit.js';
import { readStamp, type Stamp } from '../files/stamp.js';
import { openWatcher, type Watcher, type WatcherStatus } from '../files/watcher.js';
import {
  type AppendOptions,
  type AppendRequest,
  type Applied,
  applyAppends,
  type ConversationFields,
  type NewMessage,
} from './conversations/append.js';
import { Catalogue, type ConversationChange } from './conversations/catalogue.js';
import { ConversationFiles } from './conversations/conversation-files.js';
import type { ConversationDocument } from './conversations/document.js';
import {
  CLIENT_ID,
  CONVERSATION_ID,
  type Conversation,
  type ConversationHead,
} from './conversations/schema.js';

export type { AppendOptions, NewMessage };

export interface NewConversation extends ConversationFields {
  messages?: readonly NewMessage[];
}

export interface AppendResult extends Applied {
  head: ConversationHead;
  created: boolean;
}

export interface ConversationStoreOptions extends Durability {
  /** Absolute path of `conversation-logs`; made where it is missing. */
  logsFolder: string;
  maxMessages: number;
  clock?: Clock;
  codec?: Codec;
  log?: Log;
}

/** Makes the folder, and keeps it out of git, where that has not been done. FILESYSTEM_ERROR. */
export async function openConversationStore(
  options: ConversationStoreOptions,
): Promise<ConversationStore> {
  await makeFolder(options.logsFolder);
  await keepOutOfGit(options.logsFolder, options);
  return new ConversationStore(options);
}

/** `ref` is a conversation id or a client key; anything else is VALIDATION_ERROR before any file access. */
export class ConversationStore {
  readonly #options: ConversationStoreOptions;
  readonly #clock: Clock;
  readonly #locksFolder: string;
  readonly #files: ConversationFiles;
  readonly #catalogue: Catalogue;
  readonly #commits = new Map<string, GroupCommit<AppendRequest, AppendResult>>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #followers = new Set<(change: ConversationChange) => void>();
  #watcher: Watcher | undefined;
  /** The catalogue agrees with the folder without another look: the watcher keeps it so. */
  #isCurrent = false;
  #isClosed = false;

  constructor(options: ConversationStoreOptions) {
    const { logsFolder, clock = systemClock, codec = plainCodec } = options;
    this.#options = options;
    this.#clock = clock;
    this.#locksFolder = join(logsFolder, '.locks');
    this.#files = new ConversationFiles({
      logsFolder,
      durability: options,
      clock,
      codec,
      onVersion: (version) => {
        // Only what is new: reading many conversations must not push out those that are edited.
        if (!this.#catalogue.note(version)) return;
        this.#watcher?.touch(fileInLogs(version.document.head.conversationId), version.stamp);
      },
    });
    this.#catalogue = new Catalogue(logsFolder, this.#files, (change) => this.#tell(change));
  }

  /** Durable when it resolves. STORAGE_FULL, FILESYSTEM_ERROR, LOCKED, CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent). */
  async create({ messages = [], ...fields }: NewConversation): Promise<Conversation> {
    const request = { messages, options: {} };
    const creating = withLock(this.#locksFolder, `new-${newUuid()}`, (lock) =>
      this.#files.create(lock, fields, (document) => {
        const [outcome] = this.#apply(document, [request]);
        if (outcome !== undefined && 'error' in outcome) throw outcome.error;
        return true;
      }),
    );
    return (await this.#track(creating)).snapshot();
  }

  /** What is on disk now. CONVERSATION_NOT_FOUND, CONVERSATION_CORRUPTED, FORMAT_TOO_NEW, FILESYSTEM_ERROR. */
  async load(ref: string): Promise<Conversation> {
    const id = await this.#resolve(ref);
    const found = id === undefined ? undefined : await this.#files.read(id);
    if (found === undefined) throw notFound(ref);
    return found.document.snapshot();
  }

  /**
   * All of `messages` in one replace, after those of earlier calls; durable when it resolves.
   * Throws like `load`, and CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent), STORAGE_FULL, LOCKED:
   * then nothing of this call is in the file.
   */
  async append(
    ref: string,
    messages: readonly NewMessage[],
    options: AppendOptions = {},
  ): Promise<AppendResult> {
    requireRef(ref);
    let commits = this.#commits.get(ref);
    if (commits === undefined) {
      commits = new GroupCommit(
        (requests) => this.#commit(ref, requests),
        () => this.#commits.delete(ref),
      );
      this.#commits.set(ref, commits);
    }
    return this.#track(commits.add({ messages, options }));
  }

  /**
   * Removes the conversation for good where `condition` holds for what is on disk at that moment;
   * says whether it did. Takes an id, not a key. Files beside `conversation.json` keep the folder.
   */
  async removeIf(
    conversationId: string,
    condition: (current: Conversation) => boolean,
  ): Promise<boolean> {
    const folder = this.path(conversationId);
    const removing = withLock(this.#locksFolder, conversationId, async (lock) => {
      const found = await this.#files.read(conversationId);
      if (found === undefined || !condition(found.document.snapshot())) return false;
      await lock.remove(this.#files.fileOf(conversationId));
      this.#catalogue.forget(conversationId);
      await removeEmptyFolder(folder);
      return true;
    });
    return this.#track(removing);
  }

  /** Newest `updatedAt` first. Damaged files are left out (`damaged` has them). */
  async list(): Promise<ConversationHead[]> {
    if (!this.#isCurrent) await this.#catalogue.refresh();
    return this.#catalogue.heads().sort(byNewest);
  }

  /** The conversations that could not be read, as of the last `list`. */
  damaged(): { conversationId: string; error: AppError }[] {
    return this.#catalogue.damaged();
  }

  async exists(ref: string): Promise<boolean> {
    const id = await this.#resolve(ref);
    return id !== undefined && (await readStamp(this.#files.fileOf(id))) !== undefined;
  }

  /** Absolute path of the conversation's folder. Takes an id, not a key. */
  path(conversationId: string): string {
    if (!CONVERSATION_ID.test(conversationId)) throw invalidRef(conversationId);
    return this.#files.folderOf(conversationId);
  }

  /**
   * Calls `follower` with every change from now on, each conversation's in order and before the call
   * that made it resolves. What was there before is told by `watch` or `lookAtAll`, unless it was seeded.
   */
  follow(follower: (change: ConversationChange) => void): void {
    this.#followers.add(follower);
    this.#catalogue.tellAgain();
  }

  /**
   * What a cache remembers of an earlier time; to be called before `watch` or `lookAtAll`, which
   * check it. False where followers were told of the conversation already: then that counts.
   */
  seed(stamp: Stamp, head: ConversationHead): boolean {
    return this.#catalogue.seed(stamp, head);
  }

  /** Everything readable that is known now, with the stamps it was read at. */
  known(): Iterable<{ stamp: Stamp; head: ConversationHead }> {
    return this.#catalogue.stamped();
  }

  /** Looks at everything once and tells followers what changed. FILESYSTEM_ERROR. */
  async lookAtAll(): Promise<void> {
    await this.#catalogue.refresh();
  }

  /** The same for one conversation. Takes an id, not a key. */
  async lookAt(conversationId: string): Promise<void> {
    await this.#catalogue.refreshSome([conversationId]);
  }

  /**
   * Keeps up with the folder from now on: edits by hand and by other processes are told to followers
   * within a second, in conversations that nobody touched for long within five. Resolves when
   * everything that is there was read once; `progress` tells how far that is. FILESYSTEM_ERROR: then
   * nothing is watched. The store must be closed.
   */
  async watch(): Promise<void> {
    if (this.#isClosed || this.#watcher !== undefined) return;
    const watcher = this.#openWatcher();
    this.#watcher = watcher;
    try {
      await watcher.ready;
      await this.#catalogue.refresh();
      this.#isCurrent = !this.#isClosed;
    } catch (error) {
      this.#watcher = undefined;
      await watcher.close();
      throw error;
    }
  }

  #openWatcher(): Watcher {
    const log = this.#options.log ?? silentLog;
    return openWatcher({
      root: this.#options.logsFolder,
      match: (path) =>
        path.endsWith('/conversation.json') && CONVERSATION_ID.test(path.slice(0, 22)),
      onlyFiles: onlyConversationFiles,
      log,
      onChange: (changes) => {
        const ids = new Set(changes.map(({ path }) => path.slice(0, 22)));
        this.#catalogue.refreshSome([...ids]).catch((error: unknown) => {
          log.error({ err: error }, 'changed conversations could not be read');
        });
      },
    });
  }

  /** `undefined` while nothing is watched. */
  watching(): WatcherStatus | undefined {
    return this.#watcher?.status();
  }

  /** Conversations read since `watch` began, and how many there are. */
  get progress(): { readonly done: number; readonly total: number } {
    return this.#catalogue.progress;
  }

  /** Clears what dead processes left behind: locks, staged files, claimed folders that stayed empty. */
  async tidy(): Promise<void> {
    await sweepLocks(this.#locksFolder);
    for (const name of await listFolders(this.#options.logsFolder)) {
      if (!CONVERSATION_ID.test(name)) continue;
      const isUnfinished = (await readStamp(this.#files.fileOf(name))) === undefined;
      if (isUnfinished) await removeEmptyFolder(this.#files.folderOf(name));
    }
  }

  /** Resolves when every write that was accepted has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#watcher?.close();
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    this.#catalogue.stop(); // only now: a write that meets a new key must look for it
  }

  async #commit(
    ref: string,
    requests: readonly AppendRequest[],
  ): Promise<readonly Outcome<AppendResult>[]> {
    const id = await this.#resolve(ref);
    if (id !== undefined) return this.#appendTo(id, requests);
    if (!requests.some(({ options }) => options.create)) throw notFound(ref);
    return this.#createForKey(ref, requests);
  }

  #appendTo(
    id: string,
    requests: readonly AppendRequest[],
  ): Promise<readonly Outcome<AppendResult>[]> {
    return withLock(this.#locksFolder, id, async (lock) => {
      const found = await this.#files.read(id);
      if (found === undefined) throw notFound(id);
      const { document } = found;
      const lengthBefore = document.length;
      const applied = this.#apply(document, requests);
      if (document.length > lengthBefore) await this.#files.write(lock, document);
      return applied.map((outcome) => withHead(outcome, document.head, false));
    });
  }

  /** Under the key's own lock, so that two processes that meet a new key make one conversation. */
  #createForKey(
    clientId: string,
    requests: readonly AppendRequest[],
  ): Promise<readonly Outcome<AppendResult>[]> {
    const lockName = `key-${sha256Hex(clientId).slice(0, 32)}`;
    return withLock(this.#locksFolder, lockName, async (lock) => {
      await this.#catalogue.refresh();
      const id = this.#catalogue.idOfKey(clientId);
      if (id !== undefined) return this.#appendTo(id, requests);
      let applied: Outcome<Applied>[] = [];
      const fields = { ...fieldsOf(requests), clientId };
      const document = await this.#files.create(lock, fields, (empty) => {
        applied = this.#apply(empty, requests);
        return applied.some((outcome) => 'value' in outcome);
      });
      const first = applied.findIndex((outcome) => 'value' in outcome);
      return applied.map((outcome, index) => withHead(outcome, document.head, index === first));
    });
  }

  #apply(document: ConversationDocument, requests: readonly AppendRequest[]): Outcome<Applied>[] {
    const { maxMessages } = this.#options;
    return applyAppends(document, requests, { maxMessages, nowMs: this.#clock.now() });
  }

  /** The id behind an id or a key; a key that is not known yet costs a look at the whole folder. */
  async #resolve(ref: string): Promise<string | undefined> {
    if (requireRef(ref) === 'id') return ref;
    const known = this.#catalogue.idOfKey(ref);
    if (known !== undefined) {
      const found = await this.#files.read(known);
      if (found?.document.head.clientId === ref) return known;
    }
    await this.#catalogue.refresh();
    return this.#catalogue.idOfKey(ref);
  }

  #tell(change: ConversationChange): void {
    for (const follower of this.#followers) follower(change);
  }

  #track<T>(write: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = write
      .catch(() => undefined)
      .then(() => this.#pending.delete(settled));
    this.#pending.add(settled);
    return write;
  }
}

const fileInLogs = (conversationId: string) => `${conversationId}/conversation.json`;

/** Nothing else is listed or looked at: not the trash, not the locks, not what people put beside. */
function onlyConversationFiles(folder: string): readonly string[] | undefined {
  if (folder === '') return undefined;
  return CONVERSATION_ID.test(folder) ? ['conversation.json'] : [];
}

/** Of calls that meet at a new key, the first that describes the conversation. */
function fieldsOf(requests: readonly AppendRequest[]): ConversationFields {
  const described = requests.find(({ options }) => typeof options.create === 'object');
  return typeof described?.options.create === 'object' ? described.options.create : {};
}

function withHead(
  outcome: Outcome<Applied>,
  head: ConversationHead,
  created: boolean,
): Outcome<AppendResult> {
  return 'value' in outcome ? { value: { ...outcome.value, head, created } } : outcome;
}

function byNewest(a: ConversationHead, b: ConversationHead): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.conversationId < b.conversationId ? 1 : -1;
}

function requireRef(ref: string): 'id' | 'key' {
  if (CONVERSATION_ID.test(ref)) return 'id';
  if (CLIENT_ID.test(ref)) return 'key';
  throw invalidRef(ref);
}

function invalidRef(ref: string): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    `${JSON.stringify(ref.slice(0, 150))} is no conversation id.`,
    {
      hint: 'Give an id such as 20250124-1706102400123, or a key of your own: 1 to 128 letters, digits, ".", "_" or "-".',
    },
  );
}

function notFound(ref: string): AppError {
  return new AppError('CONVERSATION_NOT_FOUND', `Conversation ${ref} does not exist.`, {
    details: { conversationId: ref },
  });
}

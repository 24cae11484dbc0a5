/**
 * What is in the logs folder: the head of every conversation, by id and by the caller's key.
 * Each entry is trusted only while the file's stamp agrees; a damaged file is remembered as such
 * and hides nothing else. Whoever follows the store learns of every change here, in order.
 * Takes no lock: files are replaced as a whole.
 */
import { systemClock } from '../../base/clock.js';
import { type AppError, isAppError } from '../../base/errors.js';
import { SharedRun } from '../../base/shared-run.js';
import { listFolders } from '../../files/folders.js';
import { hasStampNow, isSameStamp, readStamp, type Stamp } from '../../files/stamp.js';
import { Slices } from '../../files/watcher/slices.js';
import type { ConversationFiles, Version } from './conversation-files.js';
import type { ConversationDocument } from './document.js';
import { NewestFirst } from './listing/newest-first.js';
import { CONVERSATION_ID, type ConversationHead } from './schema.js';

/** Open files and stats under way at once; more gains nothing and costs file handles. */
const PARALLEL_READS = 32;

/** A file that is closed to us stays so; after any other failure it may be readable a moment later. */
const LASTING = new Set(['EACCES', 'EPERM', 'ELOOP', 'EISDIR']);

interface Entry {
  stamp?: Stamp | undefined;
  head?: ConversationHead;
  damage?: AppError;
}

export interface ConversationChange {
  readonly conversationId: string;
  /** What it is now; absent where it is gone or cannot be read. */
  readonly document?: ConversationDocument;
  /** So many messages from the first are as they were at the change reported before. */
  readonly unchangedMessages: number;
}

export class Catalogue {
  readonly #logsFolder: string;
  readonly #files: ConversationFiles;
  readonly #entries = new Map<string, Entry>();
  /** More than one id where a folder was copied. */
  readonly #idsByKey = new Map<string, Set<string>>();
  readonly #newestFirst = new NewestFirst(this);
  readonly #onChange: (change: ConversationChange) => void;
  readonly #passes = new SharedRun(() => this.#refresh());
  #isStopped = false;
  #progress = { done: 0, total: 0 };

  constructor(
    logsFolder: string,
    files: ConversationFiles,
    onChange: (change: ConversationChange) => void,
  ) {
    this.#logsFolder = logsFolder;
    this.#files = files;
    this.#onChange = onChange;
  }

  /** Conversations looked at in the pass that is under way, or was last. */
  get progress(): { readonly done: number; readonly total: number } {
    return this.#progress;
  }

  head(conversationId: string): ConversationHead | undefined {
    return this.#entries.get(conversationId)?.head;
  }

  *heads(): Iterable<ConversationHead> {
    for (const { head } of this.#entries.values()) if (head !== undefined) yield head;
  }

  /** Everything readable, with its stamps, for a cache. */
  *stamped(): Iterable<{ stamp: Stamp; head: ConversationHead }> {
    for (const { stamp, head } of this.#entries.values()) {
      if (stamp !== undefined && head !== undefined) yield { stamp, head };
    }
  }

  /** All readable heads; the list never changes once it was handed out. */
  newestFirst(): readonly ConversationHead[] {
    return this.#newestFirst.list();
  }

  damaged(): { conversationId: string; error: AppError }[] {
    return [...this.#entries].flatMap(([conversationId, { damage: error }]) =>
      error === undefined ? [] : [{ conversationId, error }],
    );
  }

  /**
   * The conversation that carries this key, as far as is known without looking at the disk.
   * Of two with one key the older has it, in every process alike.
   */
  idOfKey(clientId: string): string | undefined {
    const [first, ...others] = this.#idsByKey.get(clientId) ?? [];
    return others.reduce(
      (oldest, id) => (oldest !== undefined && oldest < id ? oldest : id),
      first,
    );
  }

  /**
   * Throws FILESYSTEM_ERROR where the last pass could not read a file for a reason that may pass:
   * it could hold any key, and a second conversation under that key would split the first.
   */
  assertComplete(): void {
    for (const { damage } of this.#entries.values()) {
      const errno = damage && systemFault(damage);
      if (errno !== undefined && !LASTING.has(errno)) throw damage;
    }
  }

  /**
   * What a cache remembers, without news to anybody: the next pass checks it. False, and nothing
   * changes, where followers were told of the conversation already.
   */
  seed(stamp: Stamp, head: ConversationHead): boolean {
    if (this.#entries.get(head.conversationId)?.stamp !== undefined) return false;
    this.#enter(head.conversationId, { stamp, head });
    return true;
  }

  /** For a new follower: the next pass reads and tells everything once more. */
  tellAgain(): void {
    for (const entry of this.#entries.values()) entry.stamp = undefined;
  }

  /** Passes that are under way end soon, and no other begins. */
  stop(): void {
    this.#isStopped = true;
  }

  /** A version that this process read or wrote itself; false where it is known already. */
  note({ document, stamp, appendedTo }: Version): boolean {
    const { head } = document;
    const known = this.#entries.get(head.conversationId)?.stamp;
    if (isSameStamp(known, stamp)) return false;
    this.#enter(head.conversationId, { stamp, head });
    const isContinued = appendedTo !== undefined && isSameStamp(known, appendedTo.stamp);
    const unchangedMessages = isContinued ? appendedTo.messageCount : 0;
    this.#onChange({ conversationId: head.conversationId, document, unchangedMessages });
    return true;
  }

  /** Looks at every file's stamp after the call and reads what changed. */
  refresh(): Promise<void> {
    return this.#passes.run();
  }

  async #refresh(): Promise<void> {
    const known = [...this.#entries.keys()]; // before the look: what this process makes meanwhile stays
    const names = await listFolders(this.#logsFolder);
    // Newest first: what people look for most is found soonest.
    const ids = names
      .filter((name) => CONVERSATION_ID.test(name))
      .sort()
      .reverse();
    const present = new Set(ids);
    for (const id of known) if (!present.has(id)) this.forget(id);
    const progress = { done: 0, total: ids.length };
    this.#progress = progress;
    const changed = await this.#changedOf(ids);
    progress.done = ids.length - changed.length;
    await this.refreshSome(changed, () => {
      progress.done += 1;
    });
  }

  /** Those whose file is not as it was: a quick first look, which spares most of them a slower one. */
  async #changedOf(ids: readonly string[]): Promise<string[]> {
    const slices = new Slices(systemClock);
    const changed: string[] = [];
    for (const id of ids) {
      if (this.#isStopped) break;
      const stamp = this.#entries.get(id)?.stamp;
      if (stamp === undefined) {
        changed.push(id);
        continue;
      }
      if (!this.#hasStamp(id, stamp)) changed.push(id);
      if (slices.isOver()) await slices.breathe();
    }
    return changed;
  }

  #hasStamp(id: string, stamp: Stamp): boolean {
    try {
      return hasStampNow(this.#files.fileOf(id), stamp);
    } catch (error) {
      if (!isAppError(error)) throw error;
      return false; // the slower look reports it
    }
  }

  /** The same for some conversations. */
  async refreshSome(
    conversationIds: readonly string[],
    onDone: () => void = () => undefined,
  ): Promise<void> {
    const next = conversationIds.values();
    const workers = Array.from({ length: PARALLEL_READS }, async () => {
      for (const id of next) {
        if (this.#isStopped) return;
        await this.#refreshOne(id);
        onDone();
      }
    });
    await Promise.all(workers);
  }

  async #refreshOne(id: string): Promise<void> {
    for (;;) {
      const known = this.#entries.get(id);
      const seen = await this.#look(id, known);
      // Another version was noted meanwhile; which of the two is the newer, only another look tells.
      if (this.#entries.get(id) !== known) continue;
      if (seen === known) return;
      if (seen !== undefined && 'document' in seen) {
        this.note(seen);
        return;
      }
      this.forget(id);
      if (seen !== undefined) this.#entries.set(id, seen);
      return;
    }
  }

  /** `known` itself where nothing changed, `undefined` where there is no such file. */
  async #look(id: string, known: Entry | undefined): Promise<Entry | Version | undefined> {
    let stamp: Stamp | undefined;
    try {
      stamp = await readStamp(this.#files.fileOf(id));
      if (stamp === undefined) return undefined;
      if (isSameStamp(known?.stamp, stamp)) return known;
      return await this.#files.readUncached(id);
    } catch (error) {
      if (!isAppError(error)) throw error;
      // A lack of rights or of file handles passes without a change of the file: looked at again.
      return systemFault(error) === undefined ? { stamp, damage: error } : { damage: error };
    }
  }

  /** For a conversation that is gone. */
  forget(id: string): void {
    if (this.#leave(id)) this.#onChange({ conversationId: id, unchangedMessages: 0 });
  }

  #enter(id: string, entry: Entry & { head: ConversationHead }): void {
    if (!this.#leave(id)) this.#newestFirst.changes(id, undefined);
    this.#entries.set(id, entry);
    const { clientId } = entry.head;
    if (clientId === undefined) return;
    const ids = this.#idsByKey.get(clientId);
    if (ids === undefined) this.#idsByKey.set(clientId, new Set([id]));
    else ids.add(id);
  }

  #leave(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.#newestFirst.changes(id, entry.head);
    this.#entries.delete(id);
    const { clientId } = entry.head ?? {};
    if (clientId === undefined) return true;
    const ids = this.#idsByKey.get(clientId);
    ids?.delete(id);
    if (ids?.size === 0) this.#idsByKey.delete(clientId);
    return true;
  }
}

/** The errno where the file could not be read at all; `undefined` where its content is damaged. */
function systemFault({ details }: AppError): string | undefined {
  const errno = details?.['errno'];
  return typeof errno === 'string' ? errno : undefined;
}

/**
 * The memory bank: Markdown notes that people, git and assistants edit at the same time. Every call compares
 * the index in memory with the files. Reads take no lock. Writes take one lock for the whole bank, so that
 * the limit on the number of notes is valid across processes. A write that was made for another version of a
 * note is refused (CONFLICT).
 */
import { dirname, join, resolve } from 'node:path';
import { PendingWork } from '../../base/async/pending-work.js';
import { systemClock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { type Log, silentLog } from '../../base/log.js';
import { countOf } from '../../base/text/display-text.js';
import { makeFolder } from '../../files/atomic/atomic-write.js';
import { sweepTemporariesBelow } from '../../files/atomic/left-temporaries.js';
import { addFile } from '../../files/atomic/new-file-stream.js';
import { renameFile } from '../../files/atomic/rename-file.js';
import { type HeldLock, withLock } from '../../files/locks/file-lock.js';
import { sweepLocks } from '../../files/locks/leftover-locks.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { findConfined } from '../../files/paths/confined-file.js';
import { removeEmptyParents } from '../../files/paths/folders.js';
import { isOneFile } from '../../files/read/stamp.js';
import type { TrashEntry } from '../../files/trash/trash-folder.js';
import { Watcher } from '../../files/watcher/watcher.js';
import { unusedQueue } from '../deferred-writes/write-queue.js';
import { writeGitFiles } from '../git-files.js';
import type { StoreOptions } from '../store-options.js';
import { maskedBy } from '../text-masker.js';
import { DeferredNotes, type DeletedNote, type Edited } from './deferred-notes.js';
import {
  type Note,
  NoteCatalogue,
  type NoteChange,
  type NoteInfo,
  type NoteVersion,
  noteOf,
  readNote,
  type SkippedFile,
} from './note-catalogue.js';
import { alreadyThere, conflict, isNoNote, notFound } from './note-errors.js';
import { isReservedPath, looksLikeNote, requireNewNotePath, storedNotePath } from './note-path.js';
import { encodeNote, hashOf, withFinalNewline } from './note-text.js';
import { NoteTrash } from './note-trash.js';

export type { DeletedNote, Note, NoteChange, NoteInfo, SkippedFile };

/** Git merges notes by its default rules: if both branches changed a line, there is a visible conflict. */
const GIT_RULES = { ignored: ['.trash/'], attributes: [] };

export interface MemoryBankOptions extends StoreOptions {
  /** The absolute path; created by the first write. */
  readonly folder: string;
  readonly maxFiles: number;
}

export interface DeleteOptions {
  readonly expectedHash?: string;
  readonly permanent?: boolean;
  readonly mayDefer?: boolean;
}

/** The kinds of secrets that were removed, such as `GITHUB_TOKEN`, one entry for each removal. */
type Masked = Pick<Edited, 'masked'>;

/** Every path is relative to the bank, with `/`. PATH_ESCAPE for a path that leads out of the bank. */
export class MemoryBank {
  readonly #options: MemoryBankOptions;
  readonly #catalogue: NoteCatalogue;
  readonly #deferred: DeferredNotes;
  readonly #trash: NoteTrash;
  readonly #log: Log;
  readonly #pending = new PendingWork();
  #watcher: Watcher | undefined;
  #isPrepared = false;

  /** Does not access the disk. */
  constructor(options: MemoryBankOptions) {
    const { folder, queue = unusedQueue(), clock = systemClock, log = silentLog } = options;
    this.#options = options;
    this.#log = log;
    this.#catalogue = new NoteCatalogue(folder, (path) => this.#deferred.views.isInMemory(path));
    this.#deferred = new DeferredNotes({
      folder,
      queue,
      catalogue: this.#catalogue,
      clock,
      log,
      requireFree: (path) => this.#requireFree(path),
      requireCount: () => this.#requireCount(),
      locked: (work) => this.#locked(work),
      add: (path, bytes) => this.#add(path, bytes),
      replace: (...args) => this.#replace(...args),
      trash: (path, hash) => this.#delete(path, hash, false),
    });
    this.#trash = new NoteTrash({ folder, durability: options, clock });
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** Starts the watcher, which notifies followers of changes by others until `close`. */
  watch(): void {
    if (this.#watcher !== undefined) return;
    const unread = (err: unknown) => this.#log.error({ err }, 'changed notes could not be read');
    this.#watcher = new Watcher({
      root: this.folder,
      match: looksLikeNote,
      onlyFiles: (folder) => (folder !== '' && isReservedPath(folder) ? [] : undefined),
      log: this.#log,
      onChange: (changes) => {
        const paths = changes.map(({ path }) => path);
        this.#pending.track(this.#catalogue.refreshSome(paths)).catch(unread);
      },
    });
    // Changes before the watcher is ready cause no event.
    this.#pending.track(this.#watcher.ready.then(() => this.refresh())).catch(unread);
  }

  /**
   * Calls `follower` with every change: of this process before the write resolves, of others while watching
   * or at a refresh. Returns the unsubscribe function.
   */
  follow(follower: (change: NoteChange) => void): () => void {
    return this.#catalogue.follow(follower);
  }

  /** Compares the index in memory with the disk, with one stat per note. FILESYSTEM_ERROR. */
  refresh(): Promise<void> {
    return this.#catalogue.refresh();
  }

  /** Like `refresh`, but reads every note. Throws the signal's reason if it is aborted. */
  readAgain(signal?: AbortSignal): Promise<void> {
    return this.#catalogue.reload(signal);
  }

  /** Returns all notes at the last refresh, sorted by path. */
  known(): NoteInfo[] {
    return this.#catalogue.notes();
  }

  /** Returns the Markdown files that were not readable notes at the last refresh, with the reason. */
  skipped(): SkippedFile[] {
    return this.#catalogue.skipped();
  }

  /**
   * Returns the note on disk, or its waiting text. E_MB_FILE_NOT_FOUND, E_MB_READ, TOO_LARGE (over 32 KB),
   * PATH_ESCAPE, STORAGE_UNAVAILABLE.
   */
  async read(given: string): Promise<Note> {
    const path = await storedNotePath(this.folder, given);
    const found = await this.#deferred.read(path);
    if (found === undefined) throw notFound(path);
    return found;
  }

  /**
   * Adds a note. Durable when it resolves; with `mayDefer` it waits in memory if the store cannot be written
   * now. ALREADY_EXISTS, E_MB_FULL, TOO_LARGE, PATH_ESCAPE, VALIDATION_ERROR, STORAGE_UNAVAILABLE.
   */
  async add(path: string, given: string, { mayDefer = false } = {}): Promise<NoteInfo & Masked> {
    requireNewNotePath(path);
    const { bytes, masked } = await this.#encoded(path, given);
    const now = () =>
      this.#locked(async () => {
        await this.#requireCount();
        return this.#add(path, bytes);
      });
    const added = await (mayDefer ? this.#deferred.add(path, bytes, now) : now());
    return { ...infoOf(added), masked };
  }

  async #encoded(path: string, given: string): Promise<Edited> {
    const { value: content, masked } = await maskedBy(this.#options.masker, given);
    return { bytes: encodeNote(withFinalNewline(content), path), masked };
  }

  /** The hash of a note that `add` makes of this text, in which secrets are masked. Throws TOO_LARGE. */
  async hashOfNew(path: string, text: string): Promise<string> {
    return hashOf((await this.#encoded(path, text)).bytes);
  }

  async #add(path: string, bytes: Buffer): Promise<Note> {
    await this.#options.requireRoom?.();
    await this.#requireFree(path);
    await addFile(join(this.folder, path), bytes, this.#options);
    return (await this.#require(path)).note;
  }

  /**
   * Replaces the note's text by the result of `change`. Durable when it resolves; with `mayDefer` it waits in
   * memory if the store cannot be written now. CONFLICT if the note's hash is not `expectedHash`.
   * E_MB_FILE_NOT_FOUND, LOCKED, STORAGE_FULL, FILESYSTEM_ERROR, STORAGE_UNAVAILABLE.
   */
  async edit(
    given: string,
    expectedHash: string | undefined,
    change: (content: string) => string,
    { mayDefer = false } = {},
  ): Promise<Note & Masked> {
    const path = await storedNotePath(this.folder, given);
    const edited = async (note: Note) => {
      if (expectedHash !== undefined && expectedHash !== note.hash) {
        throw conflict(path, expectedHash, note.hash);
      }
      const { value, masked } = await maskedBy(this.#options.masker, change(note.content));
      return { bytes: encodeNote(value, path), masked };
    };
    const now = (onEdited?: (edited: Edited) => void) =>
      this.#locked(async (lock) => {
        const found = await this.#require(path);
        const { bytes, masked } = await edited(found.note);
        onEdited?.({ bytes, masked });
        return { ...(await this.#replace(lock, path, bytes, found)), masked };
      });
    return mayDefer ? this.#deferred.edit(path, edited, now) : now();
  }

  async #replace(lock: HeldLock, path: string, bytes: Buffer, found: NoteVersion): Promise<Note> {
    if (bytes.byteLength > found.note.sizeBytes) await this.#options.requireRoom?.();
    const base = found.stamp;
    const target = join(this.folder, path);
    const stamp = await lock.replace(target, bytes, this.#options, { base });
    const note = noteOf(path, { bytes, stamp });
    this.#catalogue.note({ note, stamp });
    return note;
  }

  /**
   * Renames a note. Durable when it resolves. ALREADY_EXISTS if the new path exists, STORAGE_UNAVAILABLE if a
   * write of one of the two waits; otherwise throws like `edit`.
   */
  async rename(given: string, newPath: string, expectedHash?: string): Promise<NoteInfo> {
    const path = await storedNotePath(this.folder, given);
    requireNewNotePath(newPath);
    for (const each of [path, newPath]) await this.#deferred.views.requireNone(each);
    return this.#locked(async () => {
      await this.#require(path, expectedHash);
      await this.#requireFree(newPath, { renamed: path });
      const [from, to] = [join(this.folder, path), join(this.folder, newPath)];
      await makeFolder(dirname(to), this.#options);
      await renameFile(from, to, this.#options);
      await removeEmptyParents(from, this.folder);
      this.#catalogue.forget(path);
      return infoOf((await this.#require(newPath)).note);
    });
  }

  /**
   * Moves the note to the trash, or removes it permanently. With `mayDefer` a move waits in memory if the
   * store cannot be written now. E_MB_FILE_NOT_FOUND, CONFLICT (another hash), STORAGE_UNAVAILABLE.
   */
  async delete(
    given: string,
    { expectedHash, permanent = false, mayDefer = false }: DeleteOptions = {},
  ): Promise<DeletedNote> {
    const path = await storedNotePath(this.folder, given);
    const now = () => this.#delete(path, expectedHash, permanent);
    if (mayDefer && !permanent) return this.#deferred.delete(path, expectedHash, now);
    await this.#deferred.views.requireNone(path);
    return now();
  }

  #delete(
    path: string,
    expectedHash: string | undefined,
    permanent: boolean,
  ): Promise<DeletedNote> {
    return this.#locked(async () => {
      await this.#requireDeletable(path, expectedHash);
      const name = await this.#trash.moveIn(join(this.folder, path), path);
      if (name === undefined) throw notFound(path);
      // An editor may have saved the note since the check. No editor writes to its name in the trash, so the
      // second check is certain.
      const hash = expectedHash === undefined ? undefined : await this.#trash.hashOf(name);
      if (hash !== expectedHash) {
        // If another note has its path now, this note stays in the trash.
        await this.#trash.moveOut(name, join(this.folder, path));
        throw conflict(path, expectedHash, hash);
      }
      if (permanent) await this.#trash.removeOrMoveBack(name, join(this.folder, path));
      await removeEmptyParents(join(this.folder, path), this.folder);
      this.#catalogue.forget(path);
      return permanent ? {} : { trashName: name, trashPath: this.#trash.pathOf(name) };
    });
  }

  /** Restores the note that was last deleted at a path, or a name in the trash. Returns its path. */
  restore(nameOrPath: string): Promise<string> {
    return this.#locked(async () => {
      await this.#options.requireRoom?.();
      const { name, path } = await this.#trash.require(nameOrPath);
      await this.#requireFree(path, { trashName: name });
      await this.#requireCount();
      const outcome = await this.#trash.moveOut(name, join(this.folder, path));
      if (outcome === 'taken') throw alreadyThere(path, name);
      if (outcome === 'absent') throw notFound(nameOrPath);
      await this.#catalogue.refreshSome([path]);
      return path;
    });
  }

  /** Lists the trash, the last deleted first. FILESYSTEM_ERROR. */
  trashed(): Promise<TrashEntry[]> {
    return this.#trash.list();
  }

  /** Removes this name permanently; for a path, the note deleted last. E_MB_FILE_NOT_FOUND. */
  purge(nameOrPath: string): Promise<void> {
    return this.#locked(async () => {
      const { name } = await this.#trash.require(nameOrPath);
      if (!(await this.#trash.remove(name))) throw notFound(nameOrPath);
    });
  }

  /** Removes the locks and temporary files that ended processes left. FILESYSTEM_ERROR. */
  async tidy(): Promise<void> {
    await sweepLocks(locksFolderIn(this.folder));
    await sweepTemporariesBelow(this.folder);
  }

  /** Resolves when all accepted writes have ended. */
  async close(): Promise<void> {
    await this.#watcher?.close();
    await this.#pending.idle();
  }

  #locked<T>(work: (lock: HeldLock) => Promise<T>): Promise<T> {
    const write = async () => {
      await this.#prepare();
      return withLock(locksFolderIn(this.folder), 'notes', work);
    };
    return this.#pending.track(write());
  }

  async #prepare(): Promise<void> {
    if (this.#isPrepared) return;
    await writeGitFiles(this.folder, GIT_RULES, this.#options);
    this.#isPrepared = true;
  }

  async #require(path: string, expectedHash?: string): Promise<NoteVersion> {
    const found = await readNote(this.folder, path);
    if (found === undefined) throw notFound(path);
    this.#catalogue.note(found);
    if (expectedHash === undefined || expectedHash === found.note.hash) return found;
    throw conflict(path, expectedHash, found.note.hash);
  }

  /** Without an expected hash, a file that is too large or not a text can be deleted too. */
  async #requireDeletable(path: string, expectedHash: string | undefined): Promise<void> {
    if (expectedHash !== undefined) {
      await this.#require(path, expectedHash);
      return;
    }
    const { kind } = await findConfined(this.folder, path);
    if (kind === 'absent' || kind === 'folder') throw notFound(path);
    if (kind !== 'file') await this.#require(path); // throws, and names the kind
  }

  /**
   * `renamed`: the note that will get this path. It may differ only in upper and lower case. A path that is
   * another name of the same file, as after an interrupted rename, counts as free.
   */
  async #requireFree(
    path: string,
    { renamed, trashName }: { renamed?: string; trashName?: string } = {},
  ): Promise<void> {
    const { kind } = await findConfined(this.folder, path, renamed);
    if (kind === 'absent') return;
    if (kind !== 'file') throw isNoNote(path, kind);
    const from = trashName === undefined ? renamed : this.#trash.pathOf(trashName);
    const isOther = from !== undefined && from !== path;
    if (!isOther || !isOneFile(resolve(this.folder, from), join(this.folder, path)))
      throw alreadyThere(path, trashName);
  }

  /** Counts the files on disk, under the lock: other processes add notes too. */
  async #requireCount(): Promise<void> {
    const { maxFiles } = this.#options;
    await this.#catalogue.refresh();
    const count = this.#catalogue.notes().length + this.#catalogue.skipped().length;
    if (count < maxFiles) return;
    throw new AppError(
      'E_MB_FULL',
      `The memory bank has ${countOf(count, 'note')}. The limit is ${maxFiles}.`,
      {
        details: { files: count, maxFiles },
      },
    );
  }
}

function infoOf({ content: _, ...info }: Note): NoteInfo {
  return info;
}

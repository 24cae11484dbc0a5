/**
 * The memory bank: markdown notes that people, git and assistants edit side by side. The files are
 * the store; what is known about them is checked against them at every use. Reads take no lock;
 * writes happen under one lock for the whole bank, which is also what makes the limit on the number
 * of notes hold between processes. A write that was made for another version of a note is refused.
 */
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { type Log, silentLog } from '../base/log.js';
import { type Durability, makeFolder } from '../files/atomic-write.js';
import { findConfined } from '../files/confined-file.js';
import { withLock } from '../files/file-lock.js';
import type { HeldLock } from '../files/held-lock.js';
import { addFile, renameFile } from '../files/new-file.js';
import { openWatcher, type Watcher } from '../files/watcher.js';
import {
  type Note,
  NoteCatalogue,
  type NoteChange,
  type NoteInfo,
  type NoteVersion,
  noteOf,
  readNote,
  type SkippedFile,
} from './memory-bank/note-catalogue.js';
import { isForeign, looksLikeNote, requireNotePath } from './memory-bank/note-path.js';
import { encodeNote, withFinalNewline } from './memory-bank/note-text.js';
import { NoteTrash, removeEmptyParents } from './memory-bank/note-trash.js';
import { writeGitFiles } from './memory-bank-git-files.js';

export type { Note, NoteChange, NoteInfo, SkippedFile };

/** Where both sides of a merge changed the same lines, the lines of both stay, one below the other. */
const GIT_RULES = { ignored: ['.trash/'], attributes: ['*.md merge=union'] };

export interface MemoryBankOptions extends Durability {
  /** Absolute; made by the first write. */
  readonly folder: string;
  readonly maxFiles: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface DeletedNote {
  /** In the trash; absent where it was removed for good. */
  readonly trashName?: string;
  readonly trashPath?: string;
}

/** Every path is relative to the bank, with `/`; one that leads elsewhere is PATH_ESCAPE. */
export class MemoryBank {
  readonly #options: MemoryBankOptions;
  readonly #catalogue: NoteCatalogue;
  readonly #trash: NoteTrash;
  readonly #log: Log;
  readonly #pending = new Set<Promise<unknown>>();
  #watcher: Watcher | undefined;
  #isPrepared = false;

  /** Reads nothing. */
  constructor(options: MemoryBankOptions) {
    const { folder, clock = systemClock, log = silentLog } = options;
    this.#options = options;
    this.#log = log;
    this.#catalogue = new NoteCatalogue(folder);
    this.#trash = new NoteTrash({ folder, durability: options, clock });
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** Keeps followers current with what others change, until `close`. */
  watch(): void {
    if (this.#watcher !== undefined) return;
    const unread = (err: unknown) => this.#log.error({ err }, 'changed notes could not be read');
    this.#watcher = openWatcher({
      root: this.folder,
      match: looksLikeNote,
      onlyFiles: (folder) => (folder !== '' && isForeign(folder) ? [] : undefined),
      log: this.#log,
      onChange: (changes) => {
        const paths = changes.map(({ path }) => path);
        this.#track(this.#catalogue.refreshSome(paths)).catch(unread);
      },
    });
    // What changed before the watching began is in nobody's events.
    this.#track(this.#watcher.ready.then(() => this.refresh())).catch(unread);
  }

  /** Hears of every change from now on: own writes before they resolve, others' while watching or at a look. */
  follow(follower: (change: NoteChange) => void): () => void {
    return this.#catalogue.follow(follower);
  }

  /** Brings what is known up to what is on disk now; costs a stat a note. FILESYSTEM_ERROR. */
  refresh(): Promise<void> {
    return this.#catalogue.refresh();
  }

  /** The same, reading every note anew; the signal's reason where that stops it. */
  readAgain(signal?: AbortSignal): Promise<void> {
    return this.#catalogue.readAgain(signal);
  }

  /** All notes, in the order of their paths, as the last look found them. */
  known(): NoteInfo[] {
    return this.#catalogue.list();
  }

  /** Markdown files that the last look found and that are no notes, with the reason. */
  skipped(): SkippedFile[] {
    return this.#catalogue.skipped();
  }

  /** What is on disk now. E_MB_FILE_NOT_FOUND, E_MB_READ, TOO_LARGE (over 32 KB), PATH_ESCAPE. */
  async read(path: string): Promise<Note> {
    const found = await readNote(this.folder, path);
    if (found === undefined) throw notFound(path);
    return found.note;
  }

  /** Durable when it resolves. ALREADY_EXISTS, E_MB_FULL, TOO_LARGE, PATH_ESCAPE, VALIDATION_ERROR. */
  async add(path: string, content: string): Promise<NoteInfo> {
    requireNotePath(path);
    const bytes = encodeNote(withFinalNewline(content), path);
    return this.#locked(async () => {
      await this.#requireFree(path);
      await this.#requireRoom();
      await addFile(join(this.folder, path), bytes, this.#options);
      return this.#noted(path);
    });
  }

  /**
   * Replaces the note's text by what `change` makes of it; durable when it resolves. `expectedHash`:
   * CONFLICT where the note is another by now. Called again where somebody edits it meanwhile.
   */
  async edit(
    path: string,
    expectedHash: string | undefined,
    change: (content: string) => string,
  ): Promise<Note> {
    requireNotePath(path);
    return this.#locked(async (lock) => {
      const { note, stamp } = await this.#require(path, expectedHash);
      const bytes = encodeNote(change(note.content), path);
      const target = join(this.folder, path);
      const written = await lock.replace(target, bytes, this.#options, { base: stamp });
      const version = { note: noteOf(path, { bytes, stamp: written }), stamp: written };
      this.#catalogue.note(version);
      return version.note;
    });
  }

  /** ALREADY_EXISTS: there is something of the new name; else like `edit`. */
  async rename(path: string, newPath: string, expectedHash: string | undefined): Promise<NoteInfo> {
    requireNotePath(path);
    requireNotePath(newPath);
    return this.#locked(async () => {
      await this.#require(path, expectedHash);
      await this.#requireFree(newPath);
      const [from, to] = [join(this.folder, path), join(this.folder, newPath)];
      await makeFolder(dirname(to), this.#options);
      await renameFile(from, to, this.#options);
      await removeEmptyParents(from, this.folder);
      this.#catalogue.forget(path);
      return this.#noted(newPath);
    });
  }

  /** Into the trash, or for good. E_MB_FILE_NOT_FOUND, CONFLICT. */
  async delete(
    path: string,
    { expectedHash, permanent = false }: { expectedHash?: string; permanent?: boolean } = {},
  ): Promise<DeletedNote> {
    requireNotePath(path);
    return this.#locked(async () => {
      await this.#requireDeletable(path, expectedHash);
      const name = await this.#trash.moveIn(path);
      if (name === undefined) throw notFound(path);
      // An editor may have saved it since it was looked at; nobody knows it by this name.
      const hash = expectedHash === undefined ? undefined : await this.#trash.hashOf(name);
      if (hash !== expectedHash) {
        await this.#trash.moveBack(name, path).catch(unlessTaken);
        throw conflict(path, expectedHash, hash);
      }
      if (permanent) await this.#trash.remove(name);
      await removeEmptyParents(join(this.folder, path), this.folder);
      this.#catalogue.forget(path);
      return permanent ? {} : { trashName: name, trashPath: this.#trash.pathOf(name) };
    });
  }

  /** Brings back the last deleted note of a path, or the one of a name in the trash. Gives its path. */
  restore(nameOrPath: string): Promise<string> {
    return this.#locked(async () => {
      const { name, path } = await this.#trash.find(nameOrPath);
      await this.#requireFree(path);
      await this.#requireRoom();
      await this.#trash.moveBack(name, path);
      await this.#catalogue.refreshSome([path]);
      return path;
    });
  }

  /** Resolves when accepted writes are done. */
  async close(): Promise<void> {
    await this.#watcher?.close();
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #locked<T>(work: (lock: HeldLock) => Promise<T>): Promise<T> {
    const write = async () => {
      await this.#prepare();
      return withLock(join(this.folder, '.locks'), 'notes', work);
    };
    return this.#track(write());
  }

  async #prepare(): Promise<void> {
    if (this.#isPrepared) return;
    await writeGitFiles(this.folder, GIT_RULES, this.#options);
    this.#isPrepared = true;
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = work
      .catch(() => undefined)
      .then(() => this.#pending.delete(settled));
    this.#pending.add(settled);
    return work;
  }

  async #require(path: string, expectedHash?: string): Promise<NoteVersion> {
    const found = await readNote(this.folder, path);
    if (found === undefined) throw notFound(path);
    this.#catalogue.note(found);
    if (expectedHash === undefined || expectedHash === found.note.hash) return found;
    throw conflict(path, expectedHash, found.note.hash);
  }

  /** What is too large or no text can be deleted all the same, where nobody asks for its hash. */
  async #requireDeletable(path: string, expectedHash: string | undefined): Promise<void> {
    if (expectedHash !== undefined) {
      await this.#require(path, expectedHash);
      return;
    }
    if ((await findConfined(this.folder, path)).kind !== 'file') throw notFound(path);
  }

  async #requireFree(path: string): Promise<void> {
    const { kind } = await findConfined(this.folder, path);
    if (kind === 'absent') return;
    throw new AppError('ALREADY_EXISTS', `There is ${path} already; nothing was written.`, {
      hint: 'Change it with mb_edit, or choose another path.',
      details: { path },
    });
  }

  /** Under the lock, of what is on disk: others add as well. */
  async #requireRoom(): Promise<void> {
    const { maxFiles } = this.#options;
    await this.#catalogue.refresh();
    const count = this.#catalogue.list().length + this.#catalogue.skipped().length;
    if (count < maxFiles) return;
    throw new AppError(
      'E_MB_FULL',
      `The memory bank has ${count} notes; the most is ${maxFiles}.`,
      {
        details: { files: count, maxFiles },
      },
    );
  }

  async #noted(path: string): Promise<NoteInfo> {
    const { content: _, ...info } = (await this.#require(path)).note;
    return info;
  }
}

function conflict(path: string, expectedHash: string | undefined, hash: string | undefined) {
  return new AppError(
    'CONFLICT',
    `${path} was changed since its hash was ${expectedHash?.slice(0, 80)}.`,
    {
      hint: 'Nothing was written. Read the note again, then decide with its new hash.',
      details: { path, expectedHash: expectedHash?.slice(0, 80), hash },
    },
  );
}

/** Where somebody has put another note in its place, this one stays in the trash. */
function unlessTaken(error: unknown): void {
  if (!isAppError(error, 'ALREADY_EXISTS')) throw error;
}

function notFound(path: string): AppError {
  return new AppError('E_MB_FILE_NOT_FOUND', `There is no note ${JSON.stringify(path)}.`, {
    details: { path },
  });
}

/**
 * New notes, edits and deletions that wait in memory to be written
 * (`stores/deferred-writes/write-queue.ts`). Readers already see them. If another process or a person changed
 * the note meanwhile, no text is lost: appended text is added to the end of the changed note, any other text
 * is written as a second note beside it, and a deletion is not done.
 */
import type { Clock } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { HeldLock } from '../../files/locks/file-lock.js';
import { findConfined } from '../../files/paths/confined-file.js';
import { PendingViews, stampInMemory } from '../deferred-writes/pending-views.js';
import type { WriteQueue } from '../deferred-writes/write-queue.js';
import {
  type Note,
  type NoteCatalogue,
  type NoteVersion,
  noteOf,
  readNote,
} from './note-catalogue.js';
import { alreadyThere, conflict, notFound } from './note-errors.js';
import { hashOf, MAX_NOTE_BYTES, withFinalNewline } from './note-text.js';

/** The size of the recent texts that stay in memory, so that they can be read while the store is away. */
const RECENT_BYTES = 16 * 1024 * 1024;

export interface DeferredNotesParts {
  readonly folder: string;
  readonly queue: WriteQueue;
  readonly catalogue: NoteCatalogue;
  readonly clock: Clock;
  readonly log: Log;
  /** Throws ALREADY_EXISTS if the path exists. */
  readonly requireFree: (path: string) => Promise<void>;
  /** Throws E_MB_FULL. */
  readonly requireCount: () => Promise<void>;
  readonly locked: <T>(work: (lock: HeldLock) => Promise<T>) => Promise<T>;
  /** Must be called under the lock, like `replace`. Both are durable when they resolve. */
  readonly add: (path: string, bytes: Buffer) => Promise<Note>;
  readonly replace: (
    ...args: [lock: HeldLock, path: string, bytes: Buffer, found: NoteVersion]
  ) => Promise<Note>;
  /** Moves the note to the trash if it has this hash. Acquires the lock. E_MB_FILE_NOT_FOUND, CONFLICT. */
  readonly trash: (path: string, hash: string) => Promise<unknown>;
}

export interface Edited {
  /** The new text, without secrets and private parts. */
  readonly bytes: Buffer;
  readonly masked: readonly string[];
}

export interface DeletedNote {
  /** The name in the trash; absent if the note was removed permanently, or the deletion waits. */
  readonly trashName?: string;
  readonly trashPath?: string;
}

export type EditedNote = Note & Pick<Edited, 'masked'>;

interface WaitingNote {
  readonly path: string;
  /** The text that was changed; absent for a new note. */
  readonly base: Note | undefined;
  readonly note: Note;
  /**
   * The hashes of the texts that attempts tried to write. An attempt with an error may still have written.
   */
  readonly tried: Set<string>;
}

export class DeferredNotes {
  readonly #parts: DeferredNotesParts;
  /** Its `moved` has the other paths of texts. */
  readonly views: PendingViews<Note>;
  readonly #recent = new Map<string, Note>();
  #recentBytes = 0;

  constructor(parts: DeferredNotesParts) {
    const { queue, catalogue } = parts;
    this.#parts = parts;
    this.views = new PendingViews(queue, catalogue);
    if (queue.mayWait) catalogue.follow(({ path, note }) => this.#remember(path, note));
  }

  /** The waiting text, or the note on disk or in memory. STORAGE_UNAVAILABLE if it is not in memory. */
  async read(path: string): Promise<Note | undefined> {
    const waiting = this.views.get(path);
    if (waiting !== undefined) return waiting === 'deleted' ? undefined : waiting;
    const { queue, catalogue, folder } = this.#parts;
    const found = queue.isAway ? undefined : await readNote(folder, path);
    if (found !== undefined || !queue.isAway) return found?.note;
    const recent = this.#recent.get(path);
    if (recent === undefined && catalogue.entry(path) !== undefined) queue.requireHere();
    return recent;
  }

  /** Calls `now`. If the store cannot be written, adds the new note to the queue. */
  async add(path: string, bytes: Buffer, now: () => Promise<Note>): Promise<Note> {
    const { queue, requireCount } = this.#parts;
    let isTried = false;
    const first = () => {
      isTried = true;
      return now();
    };
    return queue.run(first, async () => {
      if (!(isTried && (await this.#hashAt(path)) === hashOf(bytes))) await this.#requireFree(path);
      await requireCount();
      return this.#wait(path, undefined, bytes);
    });
  }

  /**
   * Calls `now`. If the store cannot be written, adds the edited note to the queue. `now` must call
   * `onEdited` with the text before it writes it, so that the change is not made twice if `now` fails after
   * the write.
   */
  async edit(
    path: string,
    edited: (note: Note) => Promise<Edited>,
    now: (onEdited: (edited: Edited) => void) => Promise<EditedNote>,
  ): Promise<EditedNote> {
    let tried: Edited | undefined;
    const first = () =>
      now((edited) => {
        tried = edited;
      });
    return this.#parts.queue.run(first, async () => {
      const base = await this.read(path);
      if (base === undefined) throw notFound(path);
      const isThere = tried !== undefined && hashOf(tried.bytes) === base.hash;
      const { bytes, masked } = isThere && tried ? tried : await edited(base);
      return { ...this.#wait(path, base, bytes), masked };
    });
  }

  /**
   * Calls `now`. If the store cannot be written, adds the deletion to the queue. E_MB_FILE_NOT_FOUND;
   * CONFLICT if the hash of the note is not `expectedHash`.
   */
  async delete(
    path: string,
    expectedHash: string | undefined,
    now: () => Promise<DeletedNote>,
  ): Promise<DeletedNote> {
    const { queue, trash } = this.#parts;
    return queue.run(now, async () => {
      const hash = await this.#hashAt(path);
      if (hash === undefined) throw notFound(path);
      if (expectedHash !== undefined && hash !== expectedHash) {
        throw conflict(path, expectedHash, hash);
      }
      this.views.delete(path, `note ${path}`, (name) =>
        trash(name, hash).then(() => undefined, ignoreMissing),
      );
      return {};
    });
  }

  async #hashAt(path: string): Promise<string | undefined> {
    const { catalogue, folder } = this.#parts;
    const { summary, damage } = catalogue.entry(path) ?? {};
    if (this.views.isInMemory(path) && damage !== undefined) throw damage;
    if (this.views.isInMemory(path)) return summary?.hash;
    return (await readNote(folder, path))?.note.hash;
  }

  async #requireFree(path: string): Promise<void> {
    const { catalogue, requireFree } = this.#parts;
    if (catalogue.entry(path) !== undefined) throw alreadyThere(path);
    if (!this.views.isInMemory(path)) await requireFree(path);
  }

  #wait(path: string, base: Note | undefined, bytes: Buffer): Note {
    const { catalogue, clock } = this.#parts;
    const stamp = stampInMemory(clock, bytes.byteLength);
    const note = noteOf(path, { bytes, stamp });
    const waiting = { path, base, note, tried: new Set([note.hash]) };
    this.views.add(path, note, {
      name: `note ${path}`,
      bytes: bytes.byteLength,
      write: () => this.#parts.locked((lock) => this.#write(lock, waiting)),
    });
    catalogue.note({ note, stamp });
    return note;
  }

  async #write(lock: HeldLock, { path, base, note, tried }: WaitingNote): Promise<void> {
    const { folder, add, replace } = this.#parts;
    const target = this.views.moved.get(path) ?? path;
    const found = await readNote(folder, target).catch(unreadable);
    const text = found === undefined ? note.content : textFor(found, { base, note, tried });
    if (text === undefined || found === 'unreadable') return this.#addBeside(path, note);
    const bytes = Buffer.from(text);
    tried.add(hashOf(bytes));
    if (found === undefined) await add(target, bytes);
    else await replace(lock, target, bytes, found);
  }

  async #addBeside(path: string, note: Note): Promise<void> {
    const { folder, add, log } = this.#parts;
    for (let number = 2; ; number += 1) {
      const beside = path.replace(/(?=\.[^./]*$)/, `-${number}`);
      if ((await findConfined(folder, beside)).kind !== 'absent') continue;
      this.views.moved.set(path, beside);
      log.warn({ path, beside }, 'a note that waited in memory was written under another name');
      await add(beside, Buffer.from(note.content));
      return;
    }
  }

  #remember(path: string, note: Note | undefined): void {
    this.#recentBytes -= this.#recent.get(path)?.sizeBytes ?? 0;
    this.#recent.delete(path);
    if (note === undefined) return;
    this.#recent.set(path, note);
    this.#recentBytes += note.sizeBytes;
    for (const [oldest, { sizeBytes }] of this.#recent) {
      if (this.#recentBytes <= RECENT_BYTES) return;
      this.#recent.delete(oldest);
      this.#recentBytes -= sizeBytes;
    }
  }
}

/** Returns the text that replaces the note on disk; `undefined` if the note must not be replaced. */
function textFor(
  found: NoteVersion | 'unreadable',
  { base, note, tried }: Pick<WaitingNote, 'base' | 'note' | 'tried'>,
): string | undefined {
  if (found === 'unreadable') return undefined;
  const { hash, content } = found.note;
  if (tried.has(hash)) return content; // an earlier attempt wrote it; writing it again makes it durable
  if (base === undefined) return undefined;
  if (hash === base.hash) return note.content;
  if (!note.content.startsWith(base.content)) return undefined;
  const added = note.content.slice(base.content.length);
  const isNewLine = base.content === '' || base.content.endsWith('\n');
  const text = withFinalNewline(content) + (isNewLine ? added : added.replace(/^\r?\n/, ''));
  return Buffer.byteLength(text) <= MAX_NOTE_BYTES ? text : undefined;
}

/** Returns `unreadable` for a file that is not a valid note; throws all other errors. */
function unreadable(error: unknown): 'unreadable' {
  if (isAppError(error, 'E_MB_READ', 'TOO_LARGE', 'PATH_ESCAPE')) return 'unreadable';
  throw error;
}

/** The note may be missing: an earlier attempt or another program removed it. */
function ignoreMissing(error: unknown): void {
  if (!isAppError(error, 'E_MB_FILE_NOT_FOUND')) throw error;
}

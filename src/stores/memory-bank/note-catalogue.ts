/**
 * What is in the memory bank: size, time and hash of every note. Each entry counts only while the
 * file's stamp agrees, so a look at everything costs a stat a note, and reads what changed. A file
 * that is no readable note is remembered with the reason. Followers learn of every change, in order.
 */
import { isoTime } from '../../base/clock.js';
import { type AppError, isAppError } from '../../base/errors.js';
import { readConfined, readPlain } from '../../files/confined-file.js';
import type { ReadFile } from '../../files/json-doc.js';
import { listFiles } from '../../files/list-files.js';
import { isSameStamp, readStampNow, type Stamp } from '../../files/stamp.js';
import { isForeign, looksLikeNote, problemWithNotePath, requireNotePath } from './note-path.js';
import { decodeNote, hashOf, MAX_NOTE_BYTES } from './note-text.js';

/** Files being read at once; more gains nothing and costs file handles. */
const PARALLEL_READS = 16;

export interface NoteInfo {
  /** Relative to the memory bank, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** Another one for every other content. */
  readonly hash: string;
}

export interface Note extends NoteInfo {
  /** As in the file: line ends, byte-order mark and all. */
  readonly content: string;
}

export interface NoteVersion {
  readonly note: Note;
  readonly stamp: Stamp;
}

export interface NoteChange {
  readonly path: string;
  /** What it is now; absent where it is gone or cannot be read. */
  readonly note?: Note;
}

export interface SkippedFile {
  readonly path: string;
  readonly error: AppError;
}

interface Entry {
  /** Absent: to be read again. */
  stamp: Stamp | undefined;
  readonly info?: NoteInfo;
  readonly error?: AppError;
}

interface Unreadable {
  readonly stamp: Stamp | undefined;
  readonly error: AppError;
}

export class NoteCatalogue {
  readonly #folder: string;
  readonly #entries = new Map<string, Entry>();
  readonly #followers = new Set<(change: NoteChange) => void>();
  #lastPass: Promise<unknown> = Promise.resolve();
  #nextPass: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Hears of every change from now on; the function ends that. */
  follow(follower: (change: NoteChange) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** In the order of the paths. */
  list(): NoteInfo[] {
    return this.#sorted(({ info }) => info);
  }

  /** Markdown files that are no notes, and why. */
  skipped(): SkippedFile[] {
    return this.#sorted(({ error }, path) => error && { path, error });
  }

  /** Sees every change made before the call. Calls that wait for a pass share the next. */
  refresh(): Promise<void> {
    this.#nextPass ??= this.#queue(() => {
      this.#nextPass = undefined;
      return this.#pass();
    });
    return this.#nextPass;
  }

  /** The same for some paths. */
  refreshSome(paths: readonly string[]): Promise<void> {
    return this.#queue(() => this.#lookAtAll(paths));
  }

  /**
   * The same for all, reading every file and telling every follower again. What is left where the
   * signal stops it, the next look reads.
   */
  readAgain(signal?: AbortSignal): Promise<void> {
    for (const entry of this.#entries.values()) entry.stamp = undefined;
    return this.#queue(() => this.#pass(signal));
  }

  /** A version that this process read or wrote. */
  note({ note, stamp }: NoteVersion): void {
    const known = this.#entries.get(note.path);
    if (known?.info !== undefined && isSameStamp(known.stamp, stamp)) return;
    const { content: _, ...info } = note;
    this.#entries.set(note.path, { stamp, info });
    this.#tell({ path: note.path, note });
  }

  /** For a note that is gone. */
  forget(path: string): void {
    const known = this.#entries.get(path);
    this.#entries.delete(path);
    if (known?.info !== undefined) this.#tell({ path });
  }

  #sorted<T>(pick: (entry: Entry, path: string) => T | undefined): T[] {
    const found: { path: string; value: T }[] = [];
    for (const [path, entry] of this.#entries) {
      const value = pick(entry, path);
      if (value !== undefined) found.push({ path, value });
    }
    return found.sort((a, b) => (a.path < b.path ? -1 : 1)).map(({ value }) => value);
  }

  #tell(change: NoteChange): void {
    for (const follower of this.#followers) follower(change);
  }

  #queue(pass: () => Promise<void>): Promise<void> {
    const done = this.#lastPass.then(pass);
    this.#lastPass = done.catch(() => undefined); // its own callers are told
    return done;
  }

  async #pass(signal?: AbortSignal): Promise<void> {
    const known = [...this.#entries.keys()]; // before the look: what this process adds meanwhile stays
    const present = new Set<string>();
    for await (const { name } of listFiles(this.#folder, isForeign)) {
      if (looksLikeNote(name)) present.add(name);
    }
    for (const path of known) if (!present.has(path)) this.forget(path);
    await this.#lookAtAll([...present], signal);
  }

  async #lookAtAll(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    const next = paths.filter((path) => !this.#isCurrent(path)).values();
    const workers = Array.from({ length: PARALLEL_READS }, async () => {
      for (const path of next) {
        signal?.throwIfAborted();
        await this.#lookAt(path);
      }
    });
    await Promise.all(workers);
  }

  #isCurrent(path: string): boolean {
    const stamp = this.#entries.get(path)?.stamp;
    if (stamp === undefined) return false;
    try {
      return isSameStamp(readStampNow(`${this.#folder}/${path}`), stamp);
    } catch (error) {
      if (isAppError(error)) return false; // the slower look tells why
      throw error;
    }
  }

  async #lookAt(path: string): Promise<void> {
    for (;;) {
      const known = this.#entries.get(path);
      const seen = await this.#read(path);
      // Another version was noted meanwhile; which of the two is the newer, only another look tells.
      if (this.#entries.get(path) !== known) continue;
      if (seen === undefined) this.forget(path);
      else if ('note' in seen) this.note(seen);
      else this.#skip(path, seen.stamp, seen.error);
      return;
    }
  }

  async #read(path: string): Promise<NoteVersion | Unreadable | undefined> {
    const stamp = this.#stampOf(path);
    try {
      const problem = problemWithNotePath(path);
      if (problem !== undefined) return { stamp, error: problem };
      // No folder on the way is a link: neither a listing nor the watcher goes through one.
      return versionOf(path, await readPlain(`${this.#folder}/${path}`, path, MAX_NOTE_BYTES));
    } catch (error) {
      if (isAppError(error)) return { stamp, error };
      throw error;
    }
  }

  /** A file too large to be a note keeps its stamp, so that it is not looked into each time. */
  #stampOf(path: string): Stamp | undefined {
    try {
      return readStampNow(`${this.#folder}/${path}`);
    } catch (error) {
      if (isAppError(error)) return undefined;
      throw error;
    }
  }

  #skip(path: string, stamp: Stamp | undefined, error: AppError): void {
    const known = this.#entries.get(path);
    this.#entries.set(path, { stamp, error });
    if (known?.info !== undefined) this.#tell({ path });
  }
}

/** What is on disk now; `undefined` where there is no such note. E_MB_READ, TOO_LARGE, PATH_ESCAPE. */
export async function readNote(folder: string, path: string): Promise<NoteVersion | undefined> {
  requireNotePath(path);
  return versionOf(path, await readConfined(folder, path, MAX_NOTE_BYTES));
}

function versionOf(path: string, read: ReadFile | undefined): NoteVersion | undefined {
  return read && { note: noteOf(path, read), stamp: read.stamp };
}

export function noteOf(path: string, { bytes, stamp }: ReadFile): Note {
  return {
    path,
    sizeBytes: bytes.byteLength,
    modifiedAt: isoTime(Number(stamp.mtimeNs / 1_000_000n)),
    hash: hashOf(bytes),
    content: decodeNote(bytes, path),
  };
}

/**
 * A file that several processes append to and read, such as the log of the knowledge graph (a message is not
 * appended: atomic-write.ts replaces the file of its conversation). Bytes are appended under the lock, and a
 * reader continues where it stopped. The calls are synchronous, because each takes microseconds and the
 * thread pool costs ten times that. Only fsync runs in the thread pool.
 */
import { readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../base/errors.js';
import { ABSENT, diskFullError, fileError } from '../file-errors.js';
import type { HeldLock } from '../locks/file-lock.js';
import { isSameFile, readStampNow, type Stamp, stampOf } from '../read/stamp.js';
import { closeQuietly } from '../safe-access/close-quietly.js';
import { openToAppend, openToRead } from '../safe-access/open-regular.js';
import { toStoredLines } from '../sealing/open-stores.js';
import { type Durability, syncFolder, syncToDisk, unconfirmed } from './atomic-write.js';

/** A file that is open for reading. It stays readable after the file was renamed or removed. */
export class FileReader {
  readonly #file: number;
  readonly #path: string;
  /** The stamp of the version that was opened. */
  readonly stamp: Stamp;

  private constructor(file: number, stamp: Stamp, path: string) {
    this.#file = file;
    this.#path = path;
    this.stamp = stamp;
  }

  /** `undefined` if there is no such file. PATH_ESCAPE (a link), FILESYSTEM_ERROR. */
  static open(path: string): FileReader | undefined {
    try {
      const { number, stats } = openToRead(path);
      return new FileReader(number, stampOf(stats), path);
    } catch (error) {
      if (ABSENT.includes(errnoOf(error) ?? '')) return undefined;
      throw fileError(error, 'read', path);
    }
  }

  /** Fills `buffer` from `start`. Returns fewer bytes only at the end of the file. */
  read(buffer: Uint8Array, start: number, position: number): number {
    try {
      let length = 0;
      while (start + length < buffer.byteLength) {
        const room = buffer.byteLength - start - length;
        const count = readSync(this.#file, buffer, start + length, room, position + length);
        if (count === 0) break;
        length += count;
      }
      return length;
    } catch (error) {
      throw fileError(error, 'read', this.#path);
    }
  }

  close(): void {
    closeQuietly(this.#file);
  }
}

interface OpenFile {
  readonly number: number;
  readonly stamp: Stamp;
}

/** A file to which this process appends. */
export class AppendHandle {
  readonly #path: string;
  readonly #durability: Durability;
  #file: OpenFile | undefined;
  /** The version of the file whose name was fsynced. */
  #durableFile: Stamp | undefined;

  constructor(path: string, durability: Durability) {
    this.#path = path;
    this.#durability = durability;
  }

  /**
   * Appends bytes to the file and creates it if it is missing. Returns the file's new stamp, or
   * `undefined` if the lock was lost or the file was replaced: then the bytes must be appended again.
   * `isKept`: we have held the lock since the last append, so the open file is used without a check.
   * With `fsync` the bytes are on disk when it resolves. STORAGE_FULL if only a part of the bytes could be
   * written; PATH_ESCAPE for a link or a file with a second name; FILESYSTEM_ERROR, with
   * `details.unconfirmed` if the bytes may be in the file.
   */
  async append(bytes: Buffer, lock: HeldLock, isKept = false): Promise<Stamp | undefined> {
    const file = (isKept && this.#file) || this.#open();
    this.#write(file.number, bytes);
    try {
      if (this.#durability.fsync) await this.#sync(file);
      const named = readStampNow(this.#path);
      const isSafe = named !== undefined && isSameFile(named, file.stamp) && lock.isOurs();
      return isSafe ? named : undefined;
    } catch (error) {
      throw unconfirmed(this.#path, error);
    }
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeQuietly(file.number);
  }

  #open(): OpenFile {
    const named = readStampNow(this.#path);
    const known = this.#file;
    if (known !== undefined && named !== undefined && isSameFile(named, known.stamp)) return known;
    this.close();
    try {
      const { number, stats } = openToAppend(this.#path);
      this.#file = { number, stamp: stampOf(stats) };
      return this.#file;
    } catch (error) {
      throw fileError(error, 'append to', this.#path);
    }
  }

  /** If the disk is full, the system writes only a part. That part of a line stays in the file. */
  #write(file: number, bytes: Buffer): void {
    let written = 0;
    try {
      written = writeSync(file, bytes, 0, bytes.byteLength);
    } catch (error) {
      throw fileError(error, 'append to', this.#path);
    }
    if (written === bytes.byteLength) return;
    throw diskFullError(this.#path, written, bytes.byteLength);
  }

  async #sync({ number, stamp }: OpenFile): Promise<void> {
    await syncToDisk(number);
    if (this.#durableFile !== undefined && isSameFile(this.#durableFile, stamp)) return;
    await syncFolder(dirname(this.#path), this.#durability);
    this.#durableFile = stamp;
  }
}

/**
 * Appends whole lines without a lock and without fsync, so lines may be lost in a crash: only for files
 * that no other data needs. Throws like `AppendHandle.append`.
 */
export function appendLinesUnlocked(path: string, lines: readonly string[]): void {
  const stored = lines.map((line) => toStoredLines(path, line)).join('');
  try {
    const { number } = openToAppend(path);
    try {
      writeSync(number, stored);
    } finally {
      closeQuietly(number);
    }
  } catch (error) {
    throw fileError(error, 'append to', path);
  }
}

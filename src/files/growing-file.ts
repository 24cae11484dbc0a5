/**
 * One file that several processes append to and follow: bytes are added at its end under the lock,
 * and read from wherever one has got to. All calls are synchronous, because each takes microseconds
 * and a trip through the thread pool ten times that; only fsync is waited for elsewhere.
 */
import { appendFileSync, fchmodSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, errnoOf } from '../base/errors.js';
import {
  closeQuietly,
  type Durability,
  FILE_MODE,
  syncFolder,
  syncToDisk,
  unconfirmed,
} from './atomic-write.js';
import { fileError } from './file-errors.js';
import type { HeldLock } from './held-lock.js';
import { isSameFile, readStampNow, type Stamp, stampOf } from './stamp.js';

/** An open file for reading, whatever becomes of its name. */
export class ByteSource {
  readonly #file: number;
  readonly #path: string;
  /** Of the version that was opened. */
  readonly stamp: Stamp;

  private constructor(file: number, stamp: Stamp, path: string) {
    this.#file = file;
    this.#path = path;
    this.stamp = stamp;
  }

  /** `undefined` where there is no such file. FILESYSTEM_ERROR. */
  static open(path: string): ByteSource | undefined {
    try {
      const { number, stamp } = openFile(path, 'r');
      return new ByteSource(number, stamp, path);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
      throw fileError(error, 'read', path);
    }
  }

  /** Fills `buffer` from `start` on with what lies at `position`; fewer bytes only at the end. */
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

function openFile(path: string, flags: 'r' | 'a', isNew = false): OpenFile {
  const number = openSync(path, flags, FILE_MODE);
  try {
    if (isNew) fchmodSync(number, FILE_MODE);
    return { number, stamp: stampOf(fstatSync(number, { bigint: true })) };
  } catch (error) {
    closeQuietly(number);
    throw error;
  }
}

/** The end of a file that this process adds to. */
export class AppendEnd {
  readonly #path: string;
  readonly #durability: Durability;
  #file: OpenFile | undefined;
  /** The file whose name is known to be on disk. */
  #durableFile: Stamp | undefined;

  constructor(path: string, durability: Durability) {
    this.#path = path;
    this.#durability = durability;
  }

  /**
   * Adds bytes at the end of the file, which is made where it is missing. The answer is the file's
   * stamp afterwards, or `undefined` where lock or file was taken away meanwhile: then the bytes must
   * be added again. `isKept`: the lock was ours all the time since the last append, so that the file
   * is not looked for beforehand. With `fsync` the bytes are on disk when it resolves. STORAGE_FULL
   * where not all fitted, FILESYSTEM_ERROR (with `details.unconfirmed` where they may be there all
   * the same).
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
      this.#file = openFile(this.#path, 'a', named === undefined);
      return this.#file;
    } catch (error) {
      throw fileError(error, 'append to', this.#path);
    }
  }

  /** A short write is an error: on a full disk the rest would never come. The torn line stays. */
  #write(file: number, bytes: Buffer): void {
    let written = 0;
    try {
      written = writeSync(file, bytes, 0, bytes.byteLength);
    } catch (error) {
      throw fileError(error, 'append to', this.#path);
    }
    if (written === bytes.byteLength) return;
    throw new AppError(
      'STORAGE_FULL',
      `Only ${written} of ${bytes.byteLength} bytes fitted on the disk for ${this.#path}.`,
      { details: { path: this.#path } },
    );
  }

  async #sync({ number, stamp }: OpenFile): Promise<void> {
    await syncToDisk(number);
    if (this.#durableFile !== undefined && isSameFile(this.#durableFile, stamp)) return;
    await syncFolder(dirname(this.#path), this.#durability);
    this.#durableFile = stamp;
  }
}

/** Adds whole lines to a file of notes that nothing depends on: neither locked nor synced. FILESYSTEM_ERROR. */
export function addLines(path: string, lines: readonly string[]): void {
  try {
    appendFileSync(path, lines.join(''), { mode: FILE_MODE });
  } catch (error) {
    throw fileError(error, 'append to', path);
  }
}

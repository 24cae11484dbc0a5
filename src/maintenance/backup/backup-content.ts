/**
 * The content of a backup: all data files in the folders of the root, single files in other folders, and at
 * the end a list of all files with their SHA-256, with which the archive can be checked. Each file is read
 * once. Because files are replaced as a whole, each copy is a complete version.
 */

import { AppError, isAppError } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import { modifiedMs } from '../../files/read/stamp.js';
import { type ListedFile, NO_DATA, walkFiles } from '../../files/read/walk-files.js';
import { readStored } from '../../files/read/whole-file.js';
import type { ArchiveFile } from '../../files/tar-archive.js';
import {
  CONTENTS_FORMAT,
  CONTENTS_NAME,
  CONTENTS_VERSION,
  checkArchive,
} from '../check-archive.js';

/** Whether no archive contains this file or folder. `name`: in its area. */
export const isNoData = (name: string): boolean =>
  NO_DATA.has(name) || /(^|\/)\.tmp-[^/]*$/.test(name);

/** A folder of the root: its name in archives, and its path on this machine. */
export interface BackupArea {
  readonly name: string;
  readonly folder: string;
}

/** A file outside the folders of the root. `name`: its name in archives. */
export interface SingleFile {
  readonly name: string;
  /** The absolute path. A missing file is skipped. */
  readonly path?: string;
  /** Returns the content, if it is not that of a file; `undefined` if there is nothing to archive. */
  readonly text?: () => Promise<string | undefined>;
}

export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

/** The folders are listed again, because a file that was moved during a listing may be missed. */
const MAX_PASSES = 3;

export interface BackupSources {
  readonly areas: readonly BackupArea[];
  readonly singleFiles: readonly SingleFile[];
  readonly createdAt: string;
  /** True for an absolute path that is not archived: an earlier backup. */
  isExcept?(path: string): boolean;
  readonly signal?: AbortSignal | undefined;
  onFile?(count: number): void;
}

/** Reads the files for one archive. After `read`, `files` and `leftOut` are complete. */
export class BackupFiles {
  readonly files: { name: string; sizeBytes: number; sha256: string }[] = [];
  readonly leftOut: LeftOut[] = [];
  /** False if a file could not be archived because of an error. */
  isComplete = true;
  /** Whether a file could not be read now, so that an earlier backup may have the only copy. */
  hasUnread = false;
  readonly #sources: BackupSources;
  readonly #seen = new Set<string>();

  constructor(sources: BackupSources) {
    this.#sources = sources;
  }

  /** Yields all files, and at the end the list of contents. May be called only once. */
  async *read(): AsyncGenerator<ArchiveFile> {
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      const before = this.#seen.size;
      // The log of the graph is read before its snapshot. If the snapshot is newer than the log, some
      // operations are in both, which is harmless. If it were older, operations that a compaction removed
      // from the log in between would be missing.
      for (const isWanted of [(name: string) => name.endsWith('.log'), () => true]) {
        for (const area of this.#sources.areas) yield* this.#readArea(area, isWanted);
        yield* this.#readSingleFiles(isWanted);
      }
      if (this.#seen.size === before) break;
    }
    const { createdAt } = this.#sources;
    const { files, leftOut } = this;
    const contents = {
      format: CONTENTS_FORMAT,
      version: CONTENTS_VERSION,
      createdAt,
      files,
      leftOut,
    };
    const bytes = Buffer.from(`${JSON.stringify(contents, null, 1)}\n`);
    yield { name: CONTENTS_NAME, bytes, modifiedMs: Date.parse(createdAt) };
  }

  async *#readArea(
    { name: area, folder }: BackupArea,
    isWanted: (name: string) => boolean,
  ): AsyncGenerator<ArchiveFile> {
    const elsewhere = new Set(this.#sources.singleFiles.map(({ path }) => path));
    const isLeftOut = (name: string, path: string) =>
      isNoData(name) || elsewhere.has(path) || this.#sources.isExcept?.(path) === true;
    for await (const file of walkFiles(folder, isLeftOut, { yieldsClosed: true })) {
      const name = `${area}/${file.name}`;
      if (isWanted(name)) yield* this.#once(name, () => this.#readOne(name, file));
    }
  }

  async *#readSingleFiles(isWanted: (name: string) => boolean): AsyncGenerator<ArchiveFile> {
    for (const { name, path, text } of this.#sources.singleFiles) {
      if (!isWanted(name)) continue;
      yield* this.#once(name, () =>
        path === undefined
          ? this.#textOf(name, text)
          : this.#readOne(name, { path, isPlain: true }),
      );
    }
  }

  /** CORRUPT if the archive does not have exactly what `read` yielded; throws like `checkArchive`. */
  async requireWritten(
    archive: string,
    signal?: AbortSignal,
    onFile?: (count: number) => void,
  ): Promise<void> {
    const { files } = await checkArchive(archive, signal, onFile);
    if (JSON.stringify(files) === JSON.stringify(this.files)) return;
    throw new AppError('CORRUPT', 'The archive could not be read back correctly; it was removed.', {
      hint: 'Nothing was changed. Check the disk, then try again.',
    });
  }

  /** Yields the file unless an earlier pass did. */
  async *#once(
    name: string,
    read: () => Promise<ArchiveFile | undefined>,
  ): AsyncGenerator<ArchiveFile> {
    const { signal, onFile } = this.#sources;
    signal?.throwIfAborted();
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    const file = await read();
    if (file === undefined) return;
    yield file;
    onFile?.(this.files.length);
  }

  #listed(name: string, bytes: Uint8Array, modifiedMs: number): ArchiveFile {
    this.files.push({ name, sizeBytes: bytes.byteLength, sha256: sha256Hex(bytes) });
    return { name, bytes, modifiedMs };
  }

  async #textOf(name: string, text: SingleFile['text']): Promise<ArchiveFile | undefined> {
    return this.#unlessUnreadable(name, async () => {
      const found = await text?.();
      const modifiedMs = Date.parse(this.#sources.createdAt);
      return found === undefined ? undefined : this.#listed(name, Buffer.from(found), modifiedMs);
    });
  }

  /** Returns `undefined` if the file was removed since, or cannot be archived and was added to `leftOut`. */
  async #readOne(
    name: string,
    { path, isPlain }: Pick<ListedFile, 'path' | 'isPlain'>,
  ): Promise<ArchiveFile | undefined> {
    if (!isPlain) {
      this.leftOut.push({
        name,
        reason: 'it is a link or not a regular file, or its name cannot be stored in an archive',
      });
      return undefined;
    }
    return this.#unlessUnreadable(name, async () => {
      const found = await readStored(path); // sealed files stay sealed
      if (found === undefined) {
        this.#seen.delete(name);
        return undefined;
      }
      return this.#listed(name, found.bytes, modifiedMs(found.stamp));
    });
  }

  /** Adds a file that cannot be read to `leftOut`. */
  async #unlessUnreadable<T>(name: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.leftOut.push({ name, reason: error.message });
      this.isComplete = false;
      this.hasUnread ||= !isAppError(error, 'TOO_LARGE');
      return undefined;
    }
  }
}

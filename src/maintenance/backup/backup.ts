/**
 * Makes backups: each is a dated archive of the root. It gets its name only after it was read back and every
 * file in it was compared with the file that was read from the root. Expired archives are removed only after
 * a new one was made. daily-backup.ts makes one backup a day.
 */
import { basename, join } from 'node:path';
import { type Clock, DAY_MS, isoTime } from '../../base/clock.js';
import { appErrorOf } from '../../base/errors.js';
import { totalBytes } from '../../base/total-bytes.js';
import { type AgeRecipients, addAgeKey, createAgeEncrypter } from '../../files/age-encryption.js';
import { type Durability, makeFolder } from '../../files/atomic/atomic-write.js';
import { writeNewFile } from '../../files/atomic/new-file-stream.js';
import { sweepTemporaries } from '../../files/atomic/staging.js';
import { entriesOf, removeFile } from '../../files/paths/folders.js';
import { keepOutOfGit } from '../../files/paths/git-ignore.js';
import { archiveOf } from '../../files/tar-archive.js';
import { type BackupArea, BackupFiles, type LeftOut, type SingleFile } from './backup-content.js';
import {
  type BackupOwner,
  freePath,
  isArchiveIn,
  isBackupName,
  type OwnArchive,
  ownArchivesIn,
} from './backup-names.js';

export interface BackupOptions extends Durability {
  /**
   * The absolute path of the folder of the backups. It is created, with a `.gitignore`, at the first backup.
   */
  readonly folder: string;
  readonly areas: readonly BackupArea[];
  /** Files outside the areas that belong to the store. */
  readonly singleFiles?: readonly SingleFile[];
  /** Absent: all archives in the folder belong to this store. */
  readonly owner?: BackupOwner;
  /** 0: all backups are kept. */
  readonly keepDays: number;
  readonly clock: Clock;
}

export interface BackupCall {
  /** A folder instead of the configured one. */
  readonly folder?: string | undefined;
  /** If given, the backup is encrypted as an age file for these recipients. */
  readonly age?: AgeRecipients | undefined;
  readonly signal?: AbortSignal | undefined;
  onFile?(count: number): void;
}

export interface BackupReport {
  readonly path: string;
  readonly createdAt: string;
  readonly sizeBytes: number;
  readonly files: number;
  /** The size of the files before compression. */
  readonly dataBytes: number;
  /** Files of the root that are not in the archive, each with the reason. */
  readonly leftOut: readonly LeftOut[];
  /** False if a file was left out because of an error. Links are left out too, and do not count. */
  readonly isComplete: boolean;
  /** The names of the expired archives that were removed. */
  readonly removed: readonly string[];
  /** The expired archives that could not be removed, each with the reason. The new archive exists. */
  readonly notRemoved: readonly LeftOut[];
}

export class Backups {
  readonly #options: BackupOptions;

  constructor(options: BackupOptions) {
    this.#options = options;
  }

  /** The configured folder of the backups. */
  get folder(): string {
    return this.#options.folder;
  }

  /**
   * Makes an archive and reads it back to check it. Durable when it resolves. STORAGE_FULL, FILESYSTEM_ERROR,
   * CORRUPT (the check failed), ALREADY_EXISTS (another process made one with the same name meanwhile),
   * VALIDATION_ERROR (wrong age recipient). After an error there is no new archive, and no old one was removed.
   */
  async make({
    folder = this.#options.folder,
    age,
    signal,
    onFile,
  }: BackupCall = {}): Promise<BackupReport> {
    const { areas, singleFiles = [], clock, owner } = this.#options;
    const createdAt = isoTime(clock.now());
    const path = await freePath({ folder, createdAt, owner, isAgeFile: age !== undefined });
    const sealing = age && (await createAgeEncrypter(age));
    const isForBackups = await this.#prepare(folder);
    const earlier = [folder, this.#options.folder];
    const content = new BackupFiles({
      areas,
      singleFiles,
      createdAt,
      isExcept: (path) => (isForBackups && path === folder) || isArchiveIn(earlier, path),
      signal,
      ...(onFile && { onFile }),
    });
    const archive = archiveOf(content.read());
    const onRead = (count: number) => onFile?.(content.files.length + count);
    const sizeBytes = await writeNewFile(path, sealing?.seal(archive) ?? archive, {
      fsync: this.#options.fsync,
      signal,
      async check(stage) {
        const forget = sealing && addAgeKey(sealing.check);
        await content.requireWritten(stage, signal, onRead).finally(forget);
      },
    });
    return {
      path,
      createdAt,
      sizeBytes,
      files: content.files.length,
      dataBytes: totalBytes(content.files),
      leftOut: content.leftOut,
      isComplete: content.isComplete,
      ...(content.hasUnread
        ? { removed: [], notRemoved: [] }
        : await this.#removeOld(folder, basename(path))),
    };
  }

  /** This store's archives in the configured folder, oldest first. FILESYSTEM_ERROR. */
  list(): Promise<OwnArchive[]> {
    return ownArchivesIn(this.#options.folder, this.#options.owner);
  }

  /**
   * The last one of `list`. An archive with a time in the future was made while the clock was ahead: it says
   * nothing about its age, so it counts only if there is no other one.
   */
  async newest(): Promise<OwnArchive | undefined> {
    const all = await this.list();
    const limit = this.#options.clock.now() + DAY_MS;
    return all.findLast(({ madeMs }) => madeMs <= limit) ?? all.at(-1);
  }

  /** Whether this store has an archive of this UTC date (`yyyy-mm-dd`). */
  async hasOne(date: string): Promise<boolean> {
    const archives = await this.list();
    return archives.some(({ madeMs }) => isoTime(madeMs).startsWith(date));
  }

  /**
   * Creates the folder. Returns whether it has only backups. Otherwise git must not ignore it, and its
   * files may be data of the store.
   */
  async #prepare(folder: string): Promise<boolean> {
    const isForBackups = (await entriesOf(folder)).every(
      ({ name }) => name === '.gitignore' || isBackupName(name),
    );
    await makeFolder(folder);
    if (isForBackups) await keepOutOfGit(folder, this.#options);
    await sweepTemporaries(folder);
    return isForBackups;
  }

  /**
   * The days are counted back from the backup before the new one. If the clock is ahead, the first backup with the
   * wrong time removes nothing.
   */
  async #removeOld(
    folder: string,
    made: string,
  ): Promise<Pick<BackupReport, 'removed' | 'notRemoved'>> {
    const { keepDays, clock, owner } = this.#options;
    const removed: string[] = [];
    const notRemoved: LeftOut[] = [];
    if (keepDays === 0) return { removed, notRemoved };
    const now = clock.now();
    const archives = await ownArchivesIn(folder, owner);
    const earlier = archives.filter(({ name, madeMs }) => name !== made && madeMs <= now);
    const before = earlier.at(-1);
    const oldest = (before?.madeMs ?? now) - keepDays * DAY_MS;
    const old = earlier.filter(({ madeMs }) => madeMs < oldest);
    for (const { name } of old) {
      const error = await appErrorOf(() => removeFile(join(folder, name)));
      if (error === undefined) removed.push(name);
      else notRemoved.push({ name, reason: error.message });
    }
    return { removed, notRemoved };
  }
}

/**
 * Backups: one dated archive of the root each, which gets its name only after it was read back and
 * every file in it compared with what was read from the root. Archives past their days are removed,
 * after a new one was made and never before. Daily ones are `daily-backup.ts`.
 */
import { join } from 'node:path';
import { type Clock, DAY_MS, isoTime } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import { type AgeRecipients, addAgeKey, createAgeEncrypter } from '../files/age.js';
import { archiveOf } from '../files/archive.js';
import { type Durability, makeFolder } from '../files/atomic/atomic-write.js';
import { writeNewFile } from '../files/atomic/new-file.js';
import { sweepTemporaries } from '../files/atomic/staging.js';
import { removeFile } from '../files/paths/folders.js';
import { keepOutOfGit } from '../files/paths/git-ignore.js';
import { listFiles } from '../files/read/list-files.js';
import {
  type BackupArea,
  BackupFiles,
  checkArchive,
  type LeftOut,
  type SingleFile,
} from './backup-content.js';

const NAME = /^daybook-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.gz(?:\.age)?$/;

export interface BackupOptions extends Durability {
  /** Where archives are kept. Absolute; made, private and kept out of git, at the first backup. */
  readonly folder: string;
  readonly areas: readonly BackupArea[];
  /** Files outside the areas that belong to the store. */
  readonly singleFiles?: readonly SingleFile[];
  /** 0 keeps all. */
  readonly keepDays: number;
  readonly clock: Clock;
}

export interface BackupCall {
  /** Another folder than the usual one. */
  readonly folder?: string | undefined;
  /** Makes an age file, which these open. */
  readonly age?: AgeRecipients | undefined;
  readonly signal?: AbortSignal | undefined;
  onFile?(count: number): void;
}

export interface BackupReport {
  readonly path: string;
  readonly createdAt: string;
  readonly sizeBytes: number;
  readonly files: number;
  /** Of the files, before compression. */
  readonly dataBytes: number;
  /** Files that are in the root and not in the archive, each with the reason. */
  readonly leftOut: readonly LeftOut[];
  /** Names of archives that were past their days. */
  readonly removed: readonly string[];
}

export class Backups {
  readonly #options: BackupOptions;

  constructor(options: BackupOptions) {
    this.#options = options;
  }

  /** Where archives are kept unless a call says otherwise. */
  get folder(): string {
    return this.#options.folder;
  }

  /**
   * Makes an archive; safe on disk, and read back whole, when it resolves. STORAGE_FULL,
   * FILESYSTEM_ERROR, CORRUPT (it did not read back as it was written), ALREADY_EXISTS (two in one
   * second), VALIDATION_ERROR (no recipient of age): then there is no new archive and no old one was removed.
   */
  async make({
    folder = this.#options.folder,
    age,
    signal,
    onFile,
  }: BackupCall = {}): Promise<BackupReport> {
    const { areas, singleFiles = [], clock } = this.#options;
    const createdAt = isoTime(clock.now());
    const path = join(folder, `${nameAt(createdAt)}${age === undefined ? '' : '.age'}`);
    const sealing = age && (await createAgeEncrypter(age));
    await makeFolder(folder);
    await keepOutOfGit(folder, this.#options);
    await sweepTemporaries(folder);
    const content = new BackupFiles({
      areas,
      singleFiles,
      createdAt,
      exceptPath: folder,
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
        await compare(stage, content, signal, onRead).finally(forget);
      },
    });
    return {
      path,
      createdAt,
      sizeBytes,
      files: content.files.length,
      dataBytes: content.files.reduce((sum, file) => sum + file.sizeBytes, 0),
      leftOut: content.leftOut,
      removed: await this.#removeOld(folder),
    };
  }

  /** The archives in the usual folder, the oldest first; times by their names. FILESYSTEM_ERROR. */
  async list(): Promise<{ readonly name: string; readonly madeMs: number }[]> {
    const names = await archivesIn(this.#options.folder);
    return names.map((name) => ({ name, madeMs: timeOf(name) }));
  }

  /** Whether there is an archive of this UTC date (`yyyy-mm-dd`). */
  async hasOne(date: string): Promise<boolean> {
    const names = await archivesIn(this.#options.folder);
    return names.some((name) => isoTime(timeOf(name)).startsWith(date));
  }

  async #removeOld(folder: string): Promise<string[]> {
    const { keepDays, clock } = this.#options;
    if (keepDays === 0) return [];
    const oldest = clock.now() - keepDays * DAY_MS;
    const old = (await archivesIn(folder)).filter((name) => timeOf(name) < oldest);
    for (const name of old) await removeFile(join(folder, name));
    return old;
  }
}

async function compare(
  stage: string,
  { files }: BackupFiles,
  signal: AbortSignal | undefined,
  onFile: (count: number) => void,
): Promise<void> {
  const contents = await checkArchive(stage, signal, onFile);
  if (JSON.stringify(contents.files) === JSON.stringify(files)) return;
  throw new AppError('CORRUPT', 'The archive could not be read back correctly; it was removed.', {
    hint: 'Check the disk of the backups, then try again.',
  });
}

const nameAt = (createdAt: string) =>
  `daybook-${createdAt.slice(0, 19).replaceAll(/[-:]/g, '')}Z.tar.gz`;

/** By the name: copying or syncing an archive changes the file's own time. */
function timeOf(name: string): number {
  return Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'));
}

async function archivesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of listFiles(folder, (each) => !NAME.test(each))) names.push(name);
  return names.filter((name) => !Number.isNaN(timeOf(name)));
}

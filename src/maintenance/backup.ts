/**
 * Makes backups: each is a dated archive of the root. It gets its name only after it was read back and every
 * file in it was compared with the file that was read from the root. Expired archives are removed only after
 * a new one was made. Several stores can use one folder: the name of an archive has the id of its store, and a
 * store counts and removes only its own archives. daily-backup.ts makes one backup a day.
 */
import { basename, dirname, join } from 'node:path';
import { type Clock, DAY_MS, isoTime } from '../base/clock.js';
import { appErrorOf } from '../base/errors.js';
import { type AgeRecipients, addAgeKey, createAgeEncrypter } from '../files/age-encryption.js';
import { type Durability, makeFolder } from '../files/atomic/atomic-write.js';
import { writeNewFile } from '../files/atomic/new-file-stream.js';
import { sweepTemporaries } from '../files/atomic/staging.js';
import { entriesOf, removeFile } from '../files/paths/folders.js';
import { keepOutOfGit } from '../files/paths/git-ignore.js';
import { readStamp } from '../files/read/stamp.js';
import { walkFiles } from '../files/read/walk-files.js';
import { archiveOf } from '../files/tar-archive.js';
import { type BackupArea, BackupFiles, type LeftOut, type SingleFile } from './backup-content.js';

const SECOND_MS = 1_000;
const NAME =
  /^daybook-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-([0-9a-f]{8}))?\.tar\.gz(?:\.age)?$/;

/** The store to which backups belong. */
export interface BackupOwner {
  /** Eight hexadecimal digits, which are in the names of its archives. */
  readonly id: string;
  /** The folder in the root: all its archives belong to the store, also if the root was moved. */
  readonly ownFolder: string;
}

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
    const path = await freePath(folder, createdAt, (time) => nameAt(time, owner, age));
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
      dataBytes: content.files.reduce((sum, file) => sum + file.sizeBytes, 0),
      leftOut: content.leftOut,
      isComplete: content.isComplete,
      ...(content.hasUnread ? { removed: [], notRemoved: [] } : await this.#removeOld(folder)),
    };
  }

  /** This store's archives in the configured folder, with their times, oldest first. FILESYSTEM_ERROR. */
  async list(): Promise<{ readonly name: string; readonly madeMs: number }[]> {
    const names = await this.#archivesIn(this.#options.folder);
    return names.map((name) => ({ name, madeMs: timeOf(name) }));
  }

  /**
   * The last one of `list`. An archive with a time in the future was made while the clock was ahead: it says
   * nothing about its age, so it counts only if there is no other one.
   */
  async newest(): Promise<{ readonly name: string; readonly madeMs: number } | undefined> {
    const all = await this.list();
    const limit = this.#options.clock.now() + DAY_MS;
    return all.findLast(({ madeMs }) => madeMs <= limit) ?? all.at(-1);
  }

  /** Whether this store has an archive of this UTC date (`yyyy-mm-dd`). */
  async hasOne(date: string): Promise<boolean> {
    const names = await this.#archivesIn(this.#options.folder);
    return names.some((name) => isoTime(timeOf(name)).startsWith(date));
  }

  /**
   * Creates the folder. Returns whether it has only backups. Otherwise git must not ignore it, and its
   * files may be data of the store.
   */
  async #prepare(folder: string): Promise<boolean> {
    const isForBackups = (await entriesOf(folder)).every(
      ({ name }) => name === '.gitignore' || NAME.test(name),
    );
    await makeFolder(folder);
    if (isForBackups) await keepOutOfGit(folder, this.#options);
    await sweepTemporaries(folder);
    return isForBackups;
  }

  async #removeOld(folder: string): Promise<Pick<BackupReport, 'removed' | 'notRemoved'>> {
    const { keepDays, clock } = this.#options;
    const removed: string[] = [];
    const notRemoved: LeftOut[] = [];
    if (keepDays === 0) return { removed, notRemoved };
    const oldest = clock.now() - keepDays * DAY_MS;
    const old = (await this.#archivesIn(folder)).filter((name) => timeOf(name) < oldest);
    for (const name of old) {
      const error = await appErrorOf(() => removeFile(join(folder, name)));
      if (error === undefined) removed.push(name);
      else notRemoved.push({ name, reason: error.message });
    }
    return { removed, notRemoved };
  }

  async #archivesIn(folder: string): Promise<string[]> {
    const { owner } = this.#options;
    const isOurs = (name: string) =>
      owner === undefined || folder === owner.ownFolder || idOf(name) === owner.id;
    return (await archivesIn(folder)).filter(isOurs);
  }
}

const isArchiveIn = (folders: readonly string[], path: string): boolean =>
  folders.includes(dirname(path)) && NAME.test(basename(path));

function nameAt(createdAt: string, owner?: BackupOwner, age?: AgeRecipients): string {
  const time = `${createdAt.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const ending = age === undefined ? '.tar.gz' : '.tar.gz.age';
  return `daybook-${owner === undefined ? time : `${time}-${owner.id}`}${ending}`;
}

/** The name has the time in seconds, so a second backup in one second gets the name of the next second. */
async function freePath(folder: string, createdAt: string, nameOf: (time: string) => string) {
  for (let ms = Date.parse(createdAt); ; ms += SECOND_MS) {
    const path = join(folder, nameOf(isoTime(ms)));
    if ((await readStamp(path)) === undefined) return path;
  }
}

/** Returns the id of the store in the name; archives of earlier versions have none. */
const idOf = (name: string) => NAME.exec(name)?.[7];

/** Returns the time in the name, because copying an archive changes its modification time. */
function timeOf(name: string): number {
  return Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'));
}

async function archivesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of walkFiles(folder, (each) => !NAME.test(each))) names.push(name);
  return names.filter((name) => !Number.isNaN(timeOf(name)));
}

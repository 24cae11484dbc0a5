/**
 * The names of backups: `daybook-<time in UTC>-<id of the store>.tar.gz`, with `.age` if the backup is encrypted
 * for age recipients. Several stores can use one folder, so a store recognises its own archives by the id.
 */
import { basename, dirname, join } from 'node:path';
import { isoTime } from '../../base/clock.js';
import { readStamp } from '../../files/read/stamp.js';
import { walkFiles } from '../../files/read/walk-files.js';

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

export const isBackupName = (name: string): boolean => NAME.test(name);

export const isArchiveIn = (folders: readonly string[], path: string): boolean =>
  folders.includes(dirname(path)) && NAME.test(basename(path));

interface NewArchive {
  readonly folder: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly owner?: BackupOwner | undefined;
  readonly isAgeFile: boolean;
}

/** The name has the time in seconds, so a second backup in one second gets the name of the next second. */
export async function freePath({ folder, createdAt, owner, isAgeFile }: NewArchive) {
  const ending = `${owner === undefined ? '' : `-${owner.id}`}.tar.gz${isAgeFile ? '.age' : ''}`;
  for (let ms = Date.parse(createdAt); ; ms += SECOND_MS) {
    const time = isoTime(ms).slice(0, 19).replaceAll(/[-:]/g, '');
    const path = join(folder, `daybook-${time}Z${ending}`);
    if ((await readStamp(path)) === undefined) return path;
  }
}

/** Returns the id of the store in the name; archives of earlier versions have none. */
const idOf = (name: string) => NAME.exec(name)?.[7];

/** Returns the time in the name, because copying an archive changes its modification time. */
function timeOf(name: string): number {
  return Date.parse(name.replace(NAME, '$1-$2-$3T$4:$5:$6Z'));
}

export interface OwnArchive {
  readonly name: string;
  /** Epoch milliseconds, from the name. */
  readonly madeMs: number;
}

/** The archives in the folder that belong to the store, oldest first. FILESYSTEM_ERROR. */
export async function ownArchivesIn(folder: string, owner?: BackupOwner): Promise<OwnArchive[]> {
  const archives: OwnArchive[] = [];
  for await (const { name } of walkFiles(folder, (each) => !NAME.test(each))) {
    const isOwn = owner === undefined || folder === owner.ownFolder || idOf(name) === owner.id;
    const madeMs = timeOf(name);
    if (isOwn && !Number.isNaN(madeMs)) archives.push({ name, madeMs });
  }
  return archives;
}

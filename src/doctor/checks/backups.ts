/** Checks that every backup and archive is complete, and the age of the newest backup. */

import { join } from 'node:path';
import { type Clock, DAY_MS } from '../../base/clock.js';
import { appErrorOf } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { isFolder, isPresent } from '../../files/paths/folders.js';
import type { ArchiveFiles } from '../../maintenance/archives/archive-files.js';
import type { Backups } from '../../maintenance/backup/backup.js';
import { checkArchive } from '../../maintenance/check-archive.js';
import { type Check, type CheckContext, orFinding, unreadable } from '../check.js';

/** Without daily backups, an older newest backup is reported. */
const OLD_DAYS = 30;

const OF_BACKUP =
  'Nothing can be restored from this file. To make a new backup, run daybook backup.';
const OF_ARCHIVE =
  'Its conversations cannot be restored from this file. A backup from before the damage has it: extract the backup with daybook restore BACKUP --to FOLDER, then replace this file by the one in FOLDER/archive.';

export interface BackupParts {
  readonly backups: Backups;
  readonly isDaily: boolean;
  readonly clock: Clock;
  /** The archives of old conversations. */
  readonly archives: Pick<ArchiveFiles, 'folder' | 'paths'>;
  /** Whether there is anything to back up. */
  hasData(): Promise<boolean>;
}

export const backupCheck = (parts: BackupParts): Check => ({
  name: 'backups',
  async run(context) {
    const { backups, archives } = parts;
    const { found } = context;
    await orFinding(found, backups.folder, async () => {
      const paths = (await backups.list()).map(({ name }) => join(backups.folder, name));
      await checkAll(paths, OF_BACKUP, context);
      await checkAge(parts, found);
    });
    await orFinding(found, archives.folder, async () => {
      await checkAll(await archives.paths(), OF_ARCHIVE, context);
    });
  },
});

async function checkAge(
  { backups, isDaily, clock, hasData }: BackupParts,
  found: CheckContext['found'],
): Promise<void> {
  const newest = await backups.newest();
  if (newest === undefined) {
    // The check of the disk reports a file in the place of the folder.
    if ((await isPresent(backups.folder)) && !(await isFolder(backups.folder))) return;
    if (!(await hasData())) return;
    return found({
      severity: 'note',
      path: backups.folder,
      message: 'There is no backup.',
      hint: 'Run daybook backup, or set DAYBOOK_BACKUP=daily for one backup a day.',
    });
  }
  const days = Math.floor((clock.now() - newest.madeMs) / DAY_MS);
  const limit = isDaily ? 2 : OLD_DAYS;
  if (days <= limit) return;
  found({
    severity: isDaily ? 'warning' : 'note',
    path: join(backups.folder, newest.name),
    message: `The newest backup is ${countOf(days, 'day')} old.`,
    hint: isDaily
      ? 'The daily backup does not run or fails. Check the log of the server and the free space on the disk.'
      : 'To make a new backup, run daybook backup.',
  });
}

/** `hint`: what to do if a file is damaged. */
async function checkAll(
  paths: readonly string[],
  hint: string,
  { countChecked, found, signal }: CheckContext,
): Promise<void> {
  for (const path of paths) {
    countChecked();
    // An age file can be read only with the secret key of its owner.
    if (path.endsWith('.age')) continue;
    const error = await appErrorOf(() => checkArchive(path, signal));
    if (error === undefined) continue;
    found({ ...unreadable(error, path), ...(error.code === 'CORRUPT' && { hint }) });
  }
}

/** Checks that every backup and archive is complete, and the age of the newest backup. */

import { join } from 'node:path';
import { type Clock, DAY_MS } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import type { Backups } from '../../maintenance/backup/backup.js';
import { checkArchive } from '../../maintenance/check-archive.js';
import { type Check, type Found, unreadable } from '../check.js';

/** Without daily backups, an older newest backup is reported. */
const OLD_DAYS = 30;

export interface BackupParts {
  readonly backups: Backups;
  readonly isDaily: boolean;
  readonly clock: Clock;
  /** Returns the paths of the archives of old conversations. */
  archives(): Promise<string[]>;
  /** Whether there is anything to back up. */
  hasData(): Promise<boolean>;
}

export const backupCheck = ({
  backups,
  archives: ofMonths,
  isDaily,
  clock,
  hasData,
}: BackupParts): Check => ({
  name: 'backups',
  async run({ countChecked, found, signal }) {
    const archives = await backups.list();
    const newest = await backups.newest();
    const path = newest === undefined ? backups.folder : join(backups.folder, newest.name);
    const paths = archives.map(({ name }) => join(backups.folder, name));
    for (const each of paths) {
      countChecked();
      await checkOne(each, OF_BACKUP, found, signal);
    }
    for (const each of await ofMonths()) {
      countChecked();
      await checkOne(each, OF_ARCHIVE, found, signal);
    }
    if (newest === undefined) {
      if (!(await hasData())) return;
      const hint = 'Run daybook backup, or set DAYBOOK_BACKUP=daily for one backup a day.';
      return found({ severity: 'note', path, message: 'There is no backup.', hint });
    }
    const days = Math.floor((clock.now() - newest.madeMs) / DAY_MS);
    const limit = isDaily ? 2 : OLD_DAYS;
    if (days > limit) {
      found({
        severity: isDaily ? 'warning' : 'note',
        path,
        message: `The newest backup is ${countOf(days, 'day')} old.`,
        hint: isDaily
          ? 'The daily backup does not run or fails. Check the log of the server and the free space on the disk.'
          : 'To make a new backup, run daybook backup.',
      });
    }
  },
});

const OF_BACKUP =
  'Nothing can be restored from this file. To make a new backup, run daybook backup.';
const OF_ARCHIVE =
  'Its conversations cannot be restored from this file. A backup from before the damage has it: extract the backup with daybook restore BACKUP --to FOLDER, then replace this file by the one in FOLDER/archive.';

async function checkOne(
  path: string,
  hint: string,
  found: (finding: Found) => void,
  signal: AbortSignal,
): Promise<void> {
  // An age file can be read only with the secret key of its owner.
  if (path.endsWith('.age')) return;
  try {
    await checkArchive(path, signal);
  } catch (error) {
    if (!isAppError(error)) throw error;
    found({ ...unreadable(error, path), ...(error.code === 'CORRUPT' && { hint }) });
  }
}

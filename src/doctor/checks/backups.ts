/** Whether the newest backup can be read to its end, and how old it is. */
import { join } from 'node:path';
import { type Clock, DAY_MS } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import type { Backups } from '../../maintenance/backup.js';
import { checkArchive } from '../../maintenance/backup-content.js';
import { type Check, unreadable } from '../check.js';

/** Without a daily backup, older than this is worth a word. */
const OLD_DAYS = 30;

export interface BackupParts {
  readonly backups: Backups;
  readonly isDaily: boolean;
  readonly clock: Clock;
  /** Whether there is anything to back up. */
  hasData(): Promise<boolean>;
}

export const backupCheck = ({ backups, isDaily, clock, hasData }: BackupParts): Check => ({
  name: 'backups',
  async run({ countChecked, found, signal }) {
    const archives = await backups.list();
    const newest = archives.at(-1);
    const path = newest === undefined ? backups.folder : join(backups.folder, newest.name);
    countChecked(archives.length);
    if (newest === undefined) {
      if (!(await hasData())) return;
      const hint = 'daybook backup makes one; DAYBOOK_BACKUP=daily makes one a day.';
      return found({ severity: 'note', path, message: 'There is no backup.', hint });
    }
    const days = Math.floor((clock.now() - newest.madeMs) / DAY_MS);
    const limit = isDaily ? 2 : OLD_DAYS;
    if (days > limit) {
      found({
        severity: isDaily ? 'warning' : 'note',
        path,
        message: `The newest backup is ${days} days old.`,
        hint: isDaily
          ? 'The daily backup does not run: look at the log of the server, and at the room on the disk.'
          : 'daybook backup makes a new one.',
      });
    }
    try {
      await checkArchive(path, signal);
    } catch (error) {
      if (!isAppError(error)) throw error;
      found(unreadable(error, path));
    }
  },
});

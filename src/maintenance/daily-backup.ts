/**
 * One backup a day while a server is up. A backup that the user made by hand counts.
 */
import type { Backups } from './backup.js';
import { type Daily, type DailyOptions, startDaily } from './daily.js';

export interface DailyBackupOptions extends Omit<DailyOptions, 'what' | 'state' | 'run'> {
  readonly backups: Pick<Backups, 'make' | 'hasOne'>;
}

/** Closing breaks off a backup that is under way; nothing of it stays. */
export function startDailyBackup({ backups, ...options }: DailyBackupOptions): Daily {
  return startDaily({
    ...options,
    what: 'daily backup',
    state: async (date) => ((await backups.hasOne(date)) ? 'done' : 'due'),
    async run(signal) {
      const { path, files, leftOut } = await backups.make({ signal });
      return { path, files, leftOut: leftOut.length };
    },
  });
}

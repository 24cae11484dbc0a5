/**
 * Makes one backup a day while a server runs, unless the user has made one on that day. backup.ts makes it, and
 * then removes old backups (the setting `backupKeepDays`).
 */

import { type DailyJob, type DailyJobOptions, startDailyJob } from '../daily-job.js';
import type { Backups } from './backup.js';

export interface DailyBackupOptions extends Omit<DailyJobOptions, 'what' | 'state' | 'run'> {
  readonly backups: Pick<Backups, 'make' | 'hasOne'>;
}

/** Starts the daily backup. `close` cancels a running backup, which then leaves no file. */
export function startDailyBackup({ backups, ...options }: DailyBackupOptions): DailyJob {
  return startDailyJob({
    ...options,
    what: 'daily backup',
    state: async (date) => ((await backups.hasOne(date)) ? 'done' : 'due'),
    async run(signal) {
      const { path, files, leftOut, notRemoved } = await backups.make({ signal });
      return { path, files, leftOut: leftOut.length, notRemoved: notRemoved.length };
    },
  });
}

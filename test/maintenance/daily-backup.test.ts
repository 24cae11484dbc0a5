/** The daily backup: one of the running servers makes it if the folder has none of this date. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { silentLog } from '../../src/base/log.js';
import type { BackupCall } from '../../src/maintenance/backup/backup.js';
import { startDailyBackup } from '../../src/maintenance/backup/daily-backup.js';
import { tempFolder } from '../support/temp-folder.js';
import { openRoot, T0 } from './roots.js';

const DAY_MS = 86_400_000;

/** Several servers on one root, with a clock that the test sets. */
function openServers() {
  const made: string[] = [];
  const { backups, folder, time, clock } = openRoot();
  const fails: { next?: AppError; count: number } = { count: 0 };
  const counted = {
    hasOne: (date: string) => backups.hasOne(date),
    make: async (call?: BackupCall) => {
      if (fails.next !== undefined) {
        fails.count += 1;
        throw fails.next;
      }
      const report = await backups.make(call);
      made.push(report.createdAt.slice(0, 10));
      return report;
    },
  };
  const leasePath = join(tempFolder(), 'lease');
  const looks = new Set<{ count: number }>();
  /** Waits until every server has made one more complete check. */
  const everyServerLooked = async () => {
    const wanted = [...looks].map((own) => ({ own, count: own.count + 2 }));
    await until(() => wanted.every(({ own, count }) => own.count >= count));
  };
  const start = () => {
    const own = { count: 0 };
    looks.add(own);
    const now = () => {
      own.count += 1; // once in each check
      return clock.now();
    };
    const daily = startDailyBackup({
      backups: counted,
      leasePath,
      clock: { now, monotonic: () => time.now },
      log: silentLog,
      pollIntervalMs: 20,
    });
    const close = () => {
      looks.delete(own);
      return daily.close();
    };
    onTestFinished(close);
    return { close };
  };
  return { made, folder, time, start, fails, everyServerLooked };
}

const until = async (isSo: () => boolean) => {
  for (let n = 0; n < 6_000 && !isSo(); n += 1) await pause(10);
  expect(isSo()).toBe(true);
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the daily backup', () => {
  it('is made once a day by one of several servers, also after a sleep of several days', async () => {
    const { made, time, start, everyServerLooked } = openServers();
    for (let n = 0; n < 3; n += 1) start();
    await until(() => made.length === 1);
    await everyServerLooked();
    time.now += 3_600_000;
    await everyServerLooked();
    expect(made).toEqual(['2025-01-24']);
    time.now = T0 + 5 * DAY_MS;
    await until(() => made.length === 2);
    await everyServerLooked();
    expect(made).toEqual(['2025-01-24', '2025-01-29']);
  });

  it('is not made by a new server on a day that has a backup', async () => {
    const { made, start, everyServerLooked } = openServers();
    const first = start();
    await until(() => made.length === 1);
    await first.close();
    start();
    await everyServerLooked();
    expect(made).toHaveLength(1);
  });

  it('is tried again one hour after a failure', async () => {
    const { made, time, start, fails, everyServerLooked } = openServers();
    fails.next = new AppError('STORAGE_FULL', 'full');
    start();
    await until(() => fails.count === 1);
    delete fails.next;
    await everyServerLooked();
    expect(made).toEqual([]);
    time.now += 3_700_000;
    await until(() => made.length === 1);
  });
});

/**
 * One backup a day while a server is up. What decides is the date on the wall clock and what lies in
 * the folder, looked at every minute: a 24-hour timer would not survive a laptop's sleep, and every
 * client has its own server, of which one makes the backup (a lease says which).
 */
import { type Clock, isoTime } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { tryLease } from '../files/locks/lease.js';
import type { Backups } from './backup.js';

const LOOK_EVERY_MS = 60_000;
/** A full disk does not get better by a try a minute. */
const PAUSE_AFTER_FAILURE_MS = 3_600_000;

export interface DailyBackupOptions {
  readonly backups: Pick<Backups, 'make' | 'hasOne'>;
  readonly leasePath: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly lookEveryMs?: number;
}

export interface DailyBackup {
  /** Breaks off a backup that is under way; nothing of it stays. */
  close(): Promise<void>;
}

/** The first look is at once. A failure is logged, and tried again after an hour. */
export function startDailyBackup(options: DailyBackupOptions): DailyBackup {
  const { lookEveryMs = LOOK_EVERY_MS } = options;
  const ending = new AbortController();
  const state: State = { doneDate: undefined, pauseUntil: 0 };
  let looking: Promise<void> | undefined;
  const lookNow = () => {
    looking ??= look(options, state, ending.signal).finally(() => {
      looking = undefined;
    });
  };
  const timer = setInterval(lookNow, lookEveryMs).unref();
  lookNow();
  return {
    async close() {
      clearInterval(timer);
      ending.abort();
      await looking;
    },
  };
}

interface State {
  doneDate: string | undefined;
  pauseUntil: number;
}

async function look(options: DailyBackupOptions, state: State, signal: AbortSignal): Promise<void> {
  const { backups, leasePath, clock, log } = options;
  const date = isoTime(clock.now()).slice(0, 10);
  if (state.doneDate === date || clock.monotonic() < state.pauseUntil) return;
  try {
    if (!(await backups.hasOne(date))) {
      const lease = await tryLease(leasePath);
      if (lease === undefined) return; // another process is at it; the next look sees the result
      try {
        // It may have been made between the look and the lease.
        if (!(await backups.hasOne(date))) {
          const { path, files, leftOut } = await backups.make({ signal });
          log.info({ path, files, leftOut: leftOut.length }, 'daily backup made');
        }
      } finally {
        await lease.release();
      }
    }
    state.doneDate = date;
  } catch (error) {
    if (signal.aborted) return;
    log.error({ err: error }, 'the daily backup failed');
    state.pauseUntil = clock.monotonic() + PAUSE_AFTER_FAILURE_MS;
  }
}

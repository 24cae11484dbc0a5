/**
 * Runs work once a day while a server runs. Every minute it checks the UTC date and the result of the work on
 * the disk, because a 24-hour timer is late after a laptop slept. Every client has its own server process, so
 * a lease decides which of them does the work.
 */
import { type Clock, isoTime } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { tryLease } from '../files/locks/lease.js';

const POLL_INTERVAL_MS = 60_000;
/** After an error, such as a full disk, the next attempt is after an hour. */
const PAUSE_AFTER_FAILURE_MS = 3_600_000;

export interface DailyJobOptions {
  /** The name of the work in the log, such as `daily backup`. */
  readonly what: string;
  readonly leasePath: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollIntervalMs?: number | undefined;
  /** Returns whether the work of this UTC date (`yyyy-mm-dd`) is done; `off` if it is disabled now. */
  state(date: string): Promise<'done' | 'due' | 'off'>;
  /** Does the work, after which `state` returns `done`. Returns fields for the log. */
  run(signal: AbortSignal): Promise<object>;
}

export interface DailyJob {
  /** Cancels running work. Resolves when it has ended. */
  close(): Promise<void>;
}

/**
 * Starts the checks; the first one is at once. An error is logged, and the work is tried again after an hour.
 */
export function startDailyJob(options: DailyJobOptions): DailyJob {
  const { pollIntervalMs = POLL_INTERVAL_MS } = options;
  const ending = new AbortController();
  const memory: Memory = { doneDate: undefined, pauseUntil: 0 };
  let running: Promise<void> | undefined;
  const pollNow = () => {
    running ??= runIfDue(options, memory, ending.signal).finally(() => {
      running = undefined;
    });
  };
  const timer = setInterval(pollNow, pollIntervalMs).unref();
  pollNow();
  return {
    async close() {
      clearInterval(timer);
      ending.abort();
      await running;
    },
  };
}

interface Memory {
  doneDate: string | undefined;
  pauseUntil: number;
}

async function runIfDue(
  options: DailyJobOptions,
  memory: Memory,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, what } = options;
  const date = isoTime(clock.now()).slice(0, 10);
  if (memory.doneDate === date || clock.monotonic() < memory.pauseUntil) return;
  try {
    if (await isDone(options, date, signal)) memory.doneDate = date;
  } catch (error) {
    if (signal.aborted) return;
    log.error({ err: error }, `the ${what} failed`);
    memory.pauseUntil = clock.monotonic() + PAUSE_AFTER_FAILURE_MS;
  }
}

async function isDone(
  options: DailyJobOptions,
  date: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { log, what } = options;
  const before = await options.state(date);
  if (before !== 'due') return before === 'done';
  const lease = await tryLease(options.leasePath, signal);
  if (lease === undefined) return false; // another process does the work; the next check finds the result
  try {
    // Another process may have done it between the check and the lease.
    if ((await options.state(date)) === 'due') log.info(await options.run(signal), `${what} done`);
    return true;
  } finally {
    await lease.release();
  }
}

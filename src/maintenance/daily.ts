/**
 * Work that is done once a day while a server runs, by one of the processes on a root. What decides is
 * the date on the wall clock and what the work itself left on the disk, checked every minute: a
 * 24-hour timer would not survive a laptop's sleep, and every client has its own server, of which one
 * does the work (a lease says which).
 */
import { type Clock, isoTime } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { tryLease } from '../files/locks/lease.js';

const POLL_INTERVAL_MS = 60_000;
/** A full disk does not get better by a try a minute. */
const PAUSE_AFTER_FAILURE_MS = 3_600_000;

export interface DailyOptions {
  /** For the log, such as `daily backup`. */
  readonly what: string;
  readonly leasePath: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly pollIntervalMs?: number | undefined;
  /** Whether the work of this UTC date is done; `off`: it is switched off at present. */
  state(date: string): Promise<'done' | 'due' | 'off'>;
  /** Leaves on the disk what makes `state` answer `done`. Returns an account for the log. */
  run(signal: AbortSignal): Promise<object>;
}

export interface Daily {
  /** Breaks off work that is under way. */
  close(): Promise<void>;
}

/** The first check is at once. A failure is logged, and tried again after an hour. */
export function startDaily(options: DailyOptions): Daily {
  const { pollIntervalMs = POLL_INTERVAL_MS } = options;
  const ending = new AbortController();
  const memory: Memory = { doneDate: undefined, pauseUntil: 0 };
  let context: Promise<void> | undefined;
  const pollNow = () => {
    context ??= runIfDue(options, memory, ending.signal).finally(() => {
      context = undefined;
    });
  };
  const timer = setInterval(pollNow, pollIntervalMs).unref();
  pollNow();
  return {
    async close() {
      clearInterval(timer);
      ending.abort();
      await context;
    },
  };
}

interface Memory {
  doneDate: string | undefined;
  pauseUntil: number;
}

async function runIfDue(options: DailyOptions, memory: Memory, signal: AbortSignal): Promise<void> {
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

async function isDone(options: DailyOptions, date: string, signal: AbortSignal): Promise<boolean> {
  const { log, what } = options;
  const before = await options.state(date);
  if (before !== 'due') return before === 'done';
  const lease = await tryLease(options.leasePath);
  if (lease === undefined) return false; // another process is at it; the next check sees the result
  try {
    // Another process may have done it between the check and the lease.
    if ((await options.state(date)) === 'due') log.info(await options.run(signal), `${what} done`);
    return true;
  } finally {
    await lease.release();
  }
}

/**
 * Ctrl-C (SIGINT) and SIGTERM in commands. A command that only reads has no handler, so the system ends
 * it at once. A command that writes receives an abort signal, finishes its current step and reports what
 * is done; it is ended after a grace period. A second signal ends it at once.
 */
import { isLockOwned } from '../../files/locks/owned-names.js';
import { INTERRUPTED } from '../errors/exit-status.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const GRACE_MS = 700;
/** Longer, because a command that owns a lock is writing. An end during a write damages no file. */
const LOCKED_GRACE_MS = 5_000;
const CHECK_MS = 50;

/** Number of child programs that use the terminal now. */
let lentCount = 0;

export interface Interrupts {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Removes the handlers, so that a signal ends the process at once. */
  release(): void;
}

/** For a command that writes. After the first signal the process ends at the end of the grace period. */
export function catchInterrupts(): Interrupts {
  const stop = new AbortController();
  const release = () => {
    for (const name of SIGNALS) process.off(name, onSignal);
  };
  const onSignal = (name: NodeJS.Signals) => {
    if (lentCount > 0 && name === 'SIGINT') return;
    release();
    limitEnding();
    stop.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return { signal: stop.signal, release };
}

/** Ignores Ctrl-C during `work`, because the editor or pager that uses the terminal handles it. */
export async function lendTerminal<T>(work: () => Promise<T>): Promise<T> {
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  lentCount += 1;
  try {
    return await work();
  } finally {
    lentCount -= 1;
    process.off('SIGINT', ignore);
  }
}

function limitEnding(): void {
  let waitedMs = 0;
  const check = () => {
    waitedMs += CHECK_MS;
    if (waitedMs < (isLockOwned() ? LOCKED_GRACE_MS : GRACE_MS)) return;
    if (process.exitCode === undefined) console.error('daybook: Stopped.');
    process.exit(process.exitCode ?? INTERRUPTED);
  };
  setInterval(check, CHECK_MS).unref();
}

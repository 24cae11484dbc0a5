/**
 * What Ctrl-C (SIGINT) and SIGTERM do to a command. One that only reads has no handler: the system ends
 * it at once, even while it computes. One that writes is asked to stop, so that it finishes its current
 * step and says what is done; it ends soon after, whatever hangs. A second signal ends it at once.
 */
import { isLockOwned } from '../../files/locks/file-lock.js';
import { INTERRUPTED } from '../status.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** The time that a command has for its end. */
const GRACE_MS = 700;
/** The same while it owns a lock, so that it is in the middle of a write. Every write survives a kill. */
const LOCKED_GRACE_MS = 5_000;
const CHECK_MS = 50;

/** How many programs use the terminal at the moment. */
let lent = 0;

export interface Interrupts {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** From now on signals end the process as the system does it. */
  release(): void;
}

/** For a command that writes. After the first signal the process ends by itself when the grace is over. */
export function catchInterrupts(): Interrupts {
  const stop = new AbortController();
  const release = () => {
    for (const name of SIGNALS) process.off(name, onSignal);
  };
  const onSignal = (name: NodeJS.Signals) => {
    if (lent > 0 && name === 'SIGINT') return;
    release();
    limitEnding();
    stop.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return { signal: stop.signal, release };
}

/** While an editor or a pager uses the terminal, Ctrl-C is for that program. */
export async function lendTerminal<T>(work: () => Promise<T>): Promise<T> {
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  lent += 1;
  try {
    return await work();
  } finally {
    lent -= 1;
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

/** Waits for work, but no longer than a given time, so that the one who waits can report progress. */
import { sleep } from './clock.js';

/** Resolves when `work` does, after `ms`, or when the signal is aborted. Rejects when `work` does. */
export async function settledOrLater(
  work: Promise<unknown>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const over = new AbortController();
  const stop = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  try {
    await Promise.race([work, sleep(ms, stop).catch(() => undefined)]);
  } finally {
    over.abort(); // a pending timer would keep a finished command alive
  }
}

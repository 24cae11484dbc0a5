/**
 * The only door to wall-clock and monotonic time, so that tests can inject both
 * and no store can depend on the machine's clock unseen.
 */

/** Milliseconds of a day. */
export const DAY_MS = 24 * 60 * 60 * 1000;

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds that never run backwards, for durations and leases. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** ISO 8601 in UTC with milliseconds, as every file and tool result writes times. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The same without punctuation, as names of files have it: `20260301T101500123Z`. */
export function compactTime(epochMs: number): string {
  return isoTime(epochMs).replace(/[-:.]/g, '');
}

/** The ISO 8601 form of such a time; `undefined` if the text is none. */
export function isoOfCompact(text: string): string | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, ms] = parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`;
}

/** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

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

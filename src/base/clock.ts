/** The only module that reads wall-clock and monotonic time, so that tests can inject both. */

/** The milliseconds of a day. */
export const DAY_MS = 24 * 60 * 60 * 1000;

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic time in milliseconds, for durations and leases. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** The latest time that a Date can represent, in milliseconds; negative, it is the earliest one. */
export const LATEST_TIME = 8.64e15;

/**
 * Returns ISO 8601 in UTC with milliseconds, the form of all times in files and tool results. A file can have
 * a time before or after all times of a `Date`; it becomes the nearest of these.
 */
export function isoTime(epochMs: number): string {
  return new Date(Math.max(-LATEST_TIME, Math.min(epochMs, LATEST_TIME))).toISOString();
}

/** Returns the later of two times in ISO 8601. */
export const later = (one: string, other: string): string => (one > other ? one : other);

/**
 * Whether the day at the beginning of an ISO 8601 text exists. `Date.parse` takes 30 February for 2 March.
 */
export function hasExistingDay(text: string): boolean {
  const day = text.slice(0, 10);
  const epochMs = Date.parse(day);
  return !Number.isNaN(epochMs) && isoTime(epochMs).startsWith(day);
}

/** The time of a text in epoch milliseconds; `undefined` if it is not a time, or its day does not exist. */
export function timeOfText(text: string): number | undefined {
  const epochMs = Date.parse(text);
  const isDay = /^\d{4}-\d\d-\d\d/.test(text);
  return Number.isNaN(epochMs) || (isDay && !hasExistingDay(text)) ? undefined : epochMs;
}

/** False for a time that ISO 8601 writes with a sign and more digits: no filter takes such a time. */
export const hasFourDigitYear = (epochMs: number): boolean => /^\d{4}-/.test(isoTime(epochMs));

/** Like `isoTime`, without punctuation, for names of files: `20260301T101500123Z`. */
export function compactTime(epochMs: number): string {
  return isoTime(epochMs).replace(/[-:.]/g, '');
}

/** Converts a `compactTime` to ISO 8601; returns `undefined` if the text is not such a time. */
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

/**
 * Resolves when `work` resolves, after `ms`, or when the signal is aborted. Rejects if `work` rejects before.
 */
export async function settledOrLater(
  work: Promise<unknown>,
  ms: number,
  signal?: AbortSignal | undefined,
): Promise<void> {
  const over = new AbortController();
  const stop = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  try {
    await Promise.race([work, sleep(ms, stop).catch(() => undefined)]);
  } finally {
    over.abort(); // a pending timer would delay the end of the process
  }
}

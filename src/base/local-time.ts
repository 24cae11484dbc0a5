/**
 * Formats times for people: date, time of day and time zone (IANA), such as `2025-12-24 20:30 (Asia/Qatar)`.
 * Files and structured results use ISO 8601 in UTC.
 */

/** Whether this JavaScript engine supports the zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Returns the time zone of the operating system. */
export function systemTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the day of a time in a zone, such as `2025-12-24`. */
export function localDay(epochMs: number, timeZone: string): string {
  // The Swedish locale formats dates like ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(epochMs);
}

/** Returns the beginning of a day (`2025-12-24`) in a zone, in epoch milliseconds. */
export function startOfDay(day: string, timeZone: string): number {
  const style = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
  const format = new Intl.DateTimeFormat('sv-SE', style);
  const offsetAt = (ms: number) => Date.parse(`${format.format(ms).replace(' ', 'T')}Z`) - ms;
  const wanted = Date.parse(day);
  const near = wanted - offsetAt(wanted);
  return wanted - offsetAt(near); // the offset may change between the two
}

/** Returns a text such as `2025-12-24 20:30 (Asia/Qatar)`; the text itself if it is not a time. */
export function localTime(isoText: string, timeZone: string): string {
  const date = new Date(isoText);
  if (Number.isNaN(date.getTime())) return isoText;
  // The Swedish locale formats dates like ISO 8601.
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(date);
  return `${text} (${timeZone})`;
}

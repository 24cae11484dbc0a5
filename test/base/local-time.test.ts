/** Times as people read them: the zone's own date and time of day, in every season. */
import { describe, expect, it } from 'vitest';
import { isTimeZone, localTime, systemTimeZone } from '../../src/base/local-time.js';

describe('localTime', () => {
  it.each([
    ['2025-12-24T17:30:00.000Z', 'Asia/Qatar', '2025-12-24 20:30 (Asia/Qatar)'],
    ['2025-12-31T23:30:00.000Z', 'Europe/Berlin', '2026-01-01 00:30 (Europe/Berlin)'],
    ['2025-07-01T00:00:00.000Z', 'Europe/Berlin', '2025-07-01 02:00 (Europe/Berlin)'],
    ['2025-07-01T00:00:00.000Z', 'UTC', '2025-07-01 00:00 (UTC)'],
    ['not a time', 'UTC', 'not a time'],
  ])('shows %s in %s as %s', (iso, zone, expected) => {
    expect(localTime(iso, zone)).toBe(expected);
  });

  it('accepts the time zones of the IANA database and the time zone of the system', () => {
    expect(isTimeZone('America/New_York')).toBe(true);
    expect(isTimeZone('Mars/Olympus')).toBe(false);
    expect(isTimeZone(systemTimeZone())).toBe(true);
  });
});

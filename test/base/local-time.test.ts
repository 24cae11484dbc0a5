/** Times for people: the date and the time of day in a zone, in every season. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  endOfDay,
  isTimeZone,
  localTime,
  startOfDay,
  systemTimeZone,
} from '../../src/base/local-time.js';

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

  const systemZoneFor = (tz: string) => {
    const script =
      "import('./dist/base/local-time.js').then((m) => console.log(m.systemTimeZone()))";
    const env = { ...process.env, TZ: tz };
    return execFileSync(process.execPath, ['-e', script], { env, encoding: 'utf8' }).trim();
  };

  it.each(['Mars/Phobos', ''])('uses UTC if the variable TZ is "%s"', (tz) => {
    expect(systemZoneFor(tz)).toBe('UTC');
  });

  it('uses a time zone that Node accepts if the variable TZ is an offset', () => {
    expect(isTimeZone(systemZoneFor('GMT+5'))).toBe(true);
  });
});

describe('the first and the last moment of a day', () => {
  it.each([
    ['Asia/Tokyo', '2025-05-14', '2025-05-13T15:00:00.000Z', '2025-05-14T14:59:59.999Z'],
    // Clocks change at midnight: the day begins at one o'clock, or has midnight twice.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z', '2026-09-07T02:59:59.999Z'],
    ['America/Santiago', '2026-04-05', '2026-04-05T04:00:00.000Z', '2026-04-06T03:59:59.999Z'],
    ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z', '2026-03-09T03:59:59.999Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
    // Years without a local day of four digits in every zone.
    ['Asia/Tokyo', '9999-12-31', '9999-12-31T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
    ['America/New_York', '0001-01-01', '0001-01-01T00:00:00.000Z', '0001-01-01T23:59:59.999Z'],
  ])('in %s: %s', (zone, day, first, last) => {
    expect(new Date(startOfDay(day, zone)).toISOString()).toBe(first);
    expect(new Date(endOfDay(day, zone)).toISOString()).toBe(last);
  });
});

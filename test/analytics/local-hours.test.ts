/** Days, weekdays and periods of times with unusual years. */
import { expect, it } from 'vitest';
import { LocalSlots } from '../../src/analytics/local-hours.js';
import { PERIODS, periodOf } from '../../src/analytics/periods.js';

const slotOf = (time: string | number, timeZone = 'UTC') =>
  new LocalSlots(timeZone).of(typeof time === 'string' ? Date.parse(time) : time);

it('writes every year with four digits', () => {
  expect(slotOf('0001-01-01T00:00:00Z')).toEqual({ day: '0001-01-01', weekday: 0, hour: 0 });
  expect(slotOf('0099-06-01T07:00:00Z')).toEqual({ day: '0099-06-01', weekday: 0, hour: 7 });
  expect(slotOf('1000-06-01T07:00:00Z').day).toBe('1000-06-01');
  expect(slotOf('2025-01-24T23:30:00Z')).toEqual({ day: '2025-01-24', weekday: 4, hour: 23 });
  expect(slotOf('9999-12-31T23:59:59.999Z')).toEqual({ day: '9999-12-31', weekday: 4, hour: 23 });
  expect(slotOf('0001-01-01T00:00:00Z', 'America/New_York').day).toBe('0000-12-31');
});

it('counts earlier and later times as the first or last day', () => {
  for (const time of ['+010000-01-05T00:00:00Z', 8.64e15]) {
    expect(slotOf(time).day).toBe('9999-12-31');
  }
  expect(slotOf('9999-12-31T23:00:00Z', 'Asia/Tokyo').day).toBe('9999-12-31');
  expect(slotOf('-000001-06-01T00:00:00Z').day).toBe('0000-01-01');
  expect(slotOf('0000-01-01T00:00:00Z', 'America/New_York').day).toBe('0000-01-01');
  expect(slotOf(-8.64e15, 'Asia/Tokyo').day).toBe('0000-01-01');
});

it('names a period of every day', () => {
  for (const zone of ['UTC', 'America/New_York', 'Asia/Tokyo']) {
    for (const time of ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', 8.64e15, -8.64e15]) {
      const slot = slotOf(time, zone);
      expect(slot.weekday).toBeLessThan(7);
      for (const period of PERIODS) {
        expect(periodOf(slot, period)).toMatch(/^\d{4}-\d{2}(?:-\d{2})?$/);
      }
    }
  }
  expect(periodOf(slotOf('0001-01-03T00:00:00Z'), 'week')).toBe('0001-01-01');
});

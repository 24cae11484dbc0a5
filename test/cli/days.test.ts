/** Days and times on the command line are those of the zone in which the command shows times. */
import { expect, it } from 'vitest';
import { withLocalTimes } from '../../src/cli/options/days.js';

it.each([
  ['America/Los_Angeles', '2024-12-23T08:00:00.000Z', '2024-12-24T07:59:59.999Z'],
  ['Asia/Kolkata', '2024-12-22T18:30:00.000Z', '2024-12-23T18:29:59.999Z'],
  ['UTC', '2024-12-23T00:00:00.000Z', '2024-12-23T23:59:59.999Z'],
])('a day becomes its local times in %s', (timeZone, startDate, endDate) => {
  const day = '2024-12-23';
  const ofSearch = { startDate: day, endDate: day, context: day };
  expect(withLocalTimes(ofSearch, timeZone)).toEqual({ startDate, endDate, context: day });
  expect(withLocalTimes({ expires: day }, timeZone)).toEqual({ expires: endDate });
  const ofFacts = { since: day, until: day, asOf: day, validTo: day };
  expect(withLocalTimes(ofFacts, timeZone)).toEqual({
    since: startDate,
    validTo: startDate,
    until: endDate,
    asOf: endDate,
  });
});

it('the day on which a fact begins is read in each fact of a list', () => {
  const triples = [{ subject: 'Ada', ts: '2024-12-23' }, { subject: 'Bea' }];
  expect(withLocalTimes({ triples }, 'America/Los_Angeles')).toEqual({
    triples: [{ subject: 'Ada', ts: '2024-12-23T08:00:00.000Z' }, { subject: 'Bea' }],
  });
});

it('a day can have 23 hours', () => {
  const day = { createdAfter: '2025-03-30', createdBefore: '2025-03-30' };
  expect(withLocalTimes(day, 'Europe/Berlin')).toEqual({
    createdAfter: '2025-03-29T23:00:00.000Z',
    createdBefore: '2025-03-30T21:59:59.999Z',
  });
});

it('a time without a zone is a time of that zone', () => {
  const input = { startDate: '2024-12-23T10:00', endDate: '2024-12-23T10:30:15.250' };
  expect(withLocalTimes(input, 'Asia/Kolkata')).toEqual({
    startDate: '2024-12-23T04:30:00.000Z',
    endDate: '2024-12-23T05:00:15.250Z',
  });
  expect(withLocalTimes({ triples: [{ ts: '1899-12-23T10:00' }] }, 'Asia/Tokyo')).toEqual({
    triples: [{ ts: '1899-12-23T01:00:00.000Z' }],
  });
});

it('a time that clocks show twice begins a period the first time and ends it the second time', () => {
  const input = { startDate: '2026-10-25T02:30', endDate: '2026-10-25T02:30' };
  expect(withLocalTimes(input, 'Europe/Berlin')).toEqual({
    startDate: '2026-10-25T00:30:00.000Z',
    endDate: '2026-10-25T01:30:00.000Z',
  });
});

it('a time that clocks skip is as long after the change as it is in the skipped hour', () => {
  expect(withLocalTimes({ startDate: '2026-03-29T02:30' }, 'Europe/Berlin')).toEqual({
    startDate: '2026-03-29T01:30:00.000Z',
  });
});

it('times with a zone and other texts are not changed', () => {
  const input = {
    startDate: '2024-12-23T10:00:00Z',
    endDate: 'soon',
    since: '2024-12-23T25:00',
    until: '2024-02-30T10:00',
    asOf: '2024-12-23T10:00+01:00',
  };
  expect(withLocalTimes(input, 'Asia/Kolkata')).toEqual(input);
});

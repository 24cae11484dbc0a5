/** Days on the command line are days of the zone in which the command shows times. */
import { expect, it } from 'vitest';
import { withLocalDays } from '../../src/cli/days.js';

it.each([
  ['America/Los_Angeles', '2024-12-23T08:00:00.000Z', '2024-12-24T07:59:59.999Z'],
  ['Asia/Kolkata', '2024-12-22T18:30:00.000Z', '2024-12-23T18:29:59.999Z'],
  ['UTC', '2024-12-23T00:00:00.000Z', '2024-12-23T23:59:59.999Z'],
])('a day becomes its local times in %s', (timeZone, startDate, endDate) => {
  const day = '2024-12-23';
  const ofSearch = { startDate: day, endDate: day, context: day };
  expect(withLocalDays(ofSearch, timeZone)).toEqual({ startDate, endDate, context: day });
  expect(withLocalDays({ expires: day }, timeZone)).toEqual({ expires: endDate });
  const ofFacts = { since: day, until: day, asOf: day, validTo: day };
  expect(withLocalDays(ofFacts, timeZone)).toEqual({
    since: startDate,
    validTo: startDate,
    until: endDate,
    asOf: endDate,
  });
});

it('the day on which a fact begins is read in each fact of a list', () => {
  const triples = [{ subject: 'Ada', ts: '2024-12-23' }, { subject: 'Bea' }];
  expect(withLocalDays({ triples }, 'America/Los_Angeles')).toEqual({
    triples: [{ subject: 'Ada', ts: '2024-12-23T08:00:00.000Z' }, { subject: 'Bea' }],
  });
});

it('a day can have 23 hours', () => {
  const day = { createdAfter: '2025-03-30', createdBefore: '2025-03-30' };
  expect(withLocalDays(day, 'Europe/Berlin')).toEqual({
    createdAfter: '2025-03-29T23:00:00.000Z',
    createdBefore: '2025-03-30T21:59:59.999Z',
  });
});

it('times and other texts are not changed', () => {
  const input = { startDate: '2024-12-23T10:00:00Z', endDate: 'soon' };
  expect(withLocalDays(input, 'Asia/Kolkata')).toEqual(input);
});

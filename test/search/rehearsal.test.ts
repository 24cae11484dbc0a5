/** Searches before anyone asks: for what, and when they end. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rehearse } from '../../src/search/messages/rehearsal.js';
import { tempFolder } from '../support/temp-folder.js';
import { ask, idOf, openPlace, put, sample } from './search-place.js';

it('searches for words of small files until it is over', async () => {
  const logsFolder = join(tempFolder(), 'logs');
  for (let n = 0; n < 8; n += 1) put(logsFolder, idOf(n), sample(n, n === 3 ? 2_000 : 4));
  const place = await openPlace({ logsFolder });
  await place.search.built();
  const queries: string[] = [];
  const search = (query: string) => {
    queries.push(query);
    return ask(place, query);
  };
  const { store } = place;
  expect(await rehearse({ store, search, isOver: () => false })).toBe(7);
  expect(queries).toEqual(Array(7).fill('common words'));
  expect(await rehearse({ store, search, isOver: () => queries.length === 9 })).toBe(2);
});

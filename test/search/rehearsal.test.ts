/** Searches before anyone asks: in which stores, and when they end. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rehearse } from '../../src/search/messages/rehearsal.js';
import { tempFolder } from '../support/temp-folder.js';
import { idOf, openPlace, put, sample } from './search-place.js';

async function placeWith(conversations: number, messages: number) {
  const logsFolder = join(tempFolder(), 'logs');
  for (let n = 0; n < conversations; n += 1) put(logsFolder, idOf(n), sample(n, messages));
  const place = await openPlace({ logsFolder });
  await place.search.built();
  return place;
}

describe('rehearse', () => {
  it('searches a large index, and stops when it is over', async () => {
    const { store, search } = await placeWith(40, 60);
    let asked = 0;
    const isOver = () => {
      asked += 1;
      return asked > 5;
    };
    expect(await rehearse(store, search, isOver)).toBe(5);
    expect(await rehearse(store, search, () => false)).toBeGreaterThan(5);
  });

  it('does nothing where the index is small, or files are large', async () => {
    const small = await placeWith(3, 4);
    expect(await rehearse(small.store, small.search, () => false)).toBe(0);
    const large = await placeWith(1, 2_100);
    expect(await rehearse(large.store, large.search, () => false)).toBe(0);
  });
});

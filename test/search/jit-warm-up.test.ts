/** Searches that warm up the index: their words, their beginning and their end. */
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { warmUp } from '../../src/search/messages/jit-warm-up.js';
import { tempFolder } from '../support/temp-folder.js';
import { ask, idOf, openPlace, put, sample } from './search-place.js';

it('the warm-up searches for words of small files until its time is over', async () => {
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
  expect(await warmUp({ store, search, isOver: () => false })).toBe(7);
  expect(queries).toEqual(Array(7).fill('common words'));
  expect(await warmUp({ store, search, isOver: () => queries.length === 9 })).toBe(2);
});

it.each([
  ['a server with a large index', 'live', 40, true],
  ['no server with a small index', 'live', 20, false],
  ['no command that ends', 'once', 40, false],
] as const)('the warm-up runs for %s', async (_, mode, conversations, isWarmedUp) => {
  const logsFolder = join(tempFolder(), 'logs');
  for (let n = 0; n < conversations; n += 1) put(logsFolder, idOf(n), sample(n, 60));
  const { store, search } = await openPlace({ logsFolder });
  const read = vi.spyOn(store, 'part');
  search.start(mode);
  await search.built();
  const begun = vi.waitFor(() => expect(read).toHaveBeenCalled(), {
    timeout: isWarmedUp ? 60_000 : 1_500,
  });
  if (isWarmedUp) await begun;
  else await expect(begun).rejects.toThrow();
});

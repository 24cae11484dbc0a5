/** What a search answers while the recall index is being built. */
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import { MessageSearch } from '../../src/search/message-search.js';
import { ActivitySearch } from '../../src/search/messages/activity-search.js';
import { RecallSearch } from '../../src/search/recall/recall-search.js';
import { idOf, openPlace, put, sample } from './search-place.js';

it.each([
  ['auto', 'keyword'],
  ['hybrid', 'words'],
] as const)('mode %s returns the tier %s if a build takes 10 seconds', async (mode, tier) => {
  const { logsFolder, store, search } = await openPlace();
  for (let n = 0; n < 3; n += 1) put(logsFolder, idOf(n), sample(n));
  search.start('once');
  let asked = 0;
  // Ten seconds pass between the first question for the time and the second.
  const clock = { ...systemClock, monotonic: () => (asked++ === 0 ? 0 : 10_000) };
  const options = { cachePath: undefined, timeZone: () => 'UTC', log: silentLog };
  const recall = new RecallSearch({ store, search, clock, ...options });
  onTestFinished(() => recall.close());
  const request = { query: 'garden', filters: {}, limit: 5, offset: 0, mode };
  const found = await new MessageSearch(search, recall, new ActivitySearch(store)).search(request);
  expect(found.tier).toBe(tier);
  expect(found.total).toBeGreaterThan(0);
});

it('a search that waited for the build leaves no timer, which would delay the end of the process', async () => {
  const { logsFolder, store, search } = await openPlace();
  for (let n = 0; n < 3; n += 1) put(logsFolder, idOf(n), sample(n));
  search.start('once');
  const options = { cachePath: undefined, timeZone: () => 'UTC', log: silentLog };
  const recall = new RecallSearch({ store, search, clock: systemClock, ...options });
  onTestFinished(() => recall.close());
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  await search.search({ query: 'garden', matchType: 'auto', filters: {}, limit: 1, offset: 0 });
  const before = timers();
  expect(await recall.ready()).toBe(true);
  // A timer of an earlier test in this process may have ended meanwhile.
  expect(timers()).toBeLessThanOrEqual(before);
});

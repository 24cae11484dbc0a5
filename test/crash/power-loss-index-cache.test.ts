/**
 * A power cut at any step of the first save and of the second save of the cache of the message index: the
 * next start gives the same answers as a new index of the same files. The power cut changes only the
 * cache. The conversations keep their stamps, so a complete cache is used.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.js';
import { MessageIndex } from '../../src/search/messages/message-index.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { answersOf, freshAnswers, openPlace } from '../search/search-place.js';
import { type Place, powerLoss, type Scenario } from '../support/power-loss.js';
import { timeLimitMs } from '../support/rounds.js';
import { saveIndexCache } from '../support/save-index-cache.js';
import { tempFolder } from '../support/temp-folder.js';

const { record, cutPowerAtEachStep } = powerLoss('power-loss-index-cache');

const logsFolder = join(tempFolder(), 'logs');
const cacheOf = (root: string) => join(root, 'cache', 'index.bin');
let expected = '';
const seen = { whole: 0, refused: 0, absent: 0 };

/** Saves the cache, changes the store, and saves the cache again. */
async function saveTwice({ root }: Place): Promise<void> {
  const store = await openConversationStore({ logsFolder, maxMessages: 100, fsync: true });
  const index = new MessageIndex();
  store.follow((change) => index.apply(change));
  for (const content of ['common words in a garden', 'common words by a river']) {
    await store.append('talk', [{ role: 'user', content }], { create: true });
    await store.create({ messages: [{ role: 'assistant', content: `${content}, answered` }] });
    await store.refresh();
    await saveIndexCache({ path: cacheOf(root), index, store, log: silentLog });
  }
  await store.close();
}

async function problemsAt(root: string): Promise<string[]> {
  const hasCache = existsSync(cacheOf(root));
  const place = await openPlace({ logsFolder, cachePath: cacheOf(root) });
  let filesRead = 0;
  place.store.follow(() => {
    filesRead += 1;
  });
  place.search.start('once');
  const answers = await answersOf(place);
  seen[hasCache ? (filesRead === 0 ? 'whole' : 'refused') : 'absent'] += 1;
  await place.close();
  return answers === expected ? [] : [`wrong answers: ${answers}`];
}

const scenario: Scenario = { name: 'the index cache', run: saveTwice, problemsAt };

it(
  'a start after a power cut gives the answers of a new index, whatever is left of the index cache',
  async () => {
    const recorded = await record(scenario);
    expected = await freshAnswers(logsFolder);
    const { states, problems } = await cutPowerAtEachStep(scenario, recorded);
    console.log(`power-loss, ${scenario.name}: ${states} states, caches ${JSON.stringify(seen)}`);
    expect([...problems]).toEqual([]);
    // The simulation had all three cases: no cache yet, a complete one, and a damaged or stale one.
    expect(Math.min(seen.absent, seen.whole, seen.refused)).toBeGreaterThan(0);
  },
  timeLimitMs(300_000),
);

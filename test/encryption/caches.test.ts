/** The doctor compares the caches of an encrypted store with its decrypted texts. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { indexCachePath } from '../../src/app/cache-paths.js';
import { convertEncryption } from '../../src/app/services/encryption.js';
import { conversationText, doctorPlace, ID } from '../doctor/place.js';
import { ask } from '../search/search-place.js';
import { tempFolder } from '../support/temp-folder.js';
import { DIGITS } from './store.js';

it('the doctor finds nothing wrong in the caches of an encrypted store', async () => {
  const keyFile = join(tempFolder(), 'key');
  writeFileSync(keyFile, `${DIGITS}\n`, { mode: 0o600 });
  const place = doctorPlace({ DAYBOOK_KEY_FILE: keyFile });
  // A store with fewer messages has no cache of its index.
  const contents = Array.from({ length: 2_100 }, (_, n) => `raven ${n}`);
  place.write(`conversation-logs/${ID}/conversation.json`, conversationText(contents));
  await convertEncryption(place.config, { keyFile }, {});
  await place.withApp(async ({ conversations, search }) => {
    search.start();
    await ask({ search }, 'raven');
    await conversations.list();
  });
  expect(existsSync(indexCachePath(place.config) ?? '')).toBe(true);
  const { steps } = await place.examine();
  const step = steps.find(({ check }) => check === 'search index');
  expect(step?.checked).toBeGreaterThan(0);
  expect(step?.findings).toEqual([]);
});

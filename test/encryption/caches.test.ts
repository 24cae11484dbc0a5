/** The caches of an encrypted store agree with its decrypted texts, also after a permanent deletion. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { indexCachePath } from '../../src/app/cache-paths.js';
import { convertEncryption } from '../../src/app/services/encryption.js';
import { silentLog } from '../../src/base/log.js';
import { readCachedHeads } from '../../src/search/cache/index-cache.js';
import { conversationText, doctorPlace, ID } from '../doctor/place.js';
import { ask } from '../search/search-place.js';
import { tempFolder } from '../support/temp-folder.js';
import { DIGITS } from './store.js';

/** A store with fewer messages has no cache of its index. */
const CONTENTS = Array.from({ length: 2_100 }, (_, n) => `raven ${n}`);

async function encryptedPlace() {
  const keyFile = join(tempFolder(), 'key');
  writeFileSync(keyFile, `${DIGITS}\n`, { mode: 0o600 });
  const place = doctorPlace({ DAYBOOK_KEY_FILE: keyFile });
  place.write(`conversation-logs/${ID}/conversation.json`, conversationText(CONTENTS));
  await convertEncryption(place.config, { keyFile }, {});
  return place;
}

it('a permanent deletion leaves an encrypted cache without the conversation', async () => {
  const place = await encryptedPlace();
  const path = indexCachePath(place.config) ?? '';
  const other = await place.withApp(async ({ conversations, search }) => {
    const { conversationId } = await conversations.create({
      messages: [{ role: 'user', content: 'raven' }],
    });
    search.start();
    await ask({ search }, 'raven');
    return conversationId;
  });
  const heads = () =>
    place.withApp(async () => [...(await readCachedHeads({ path, log: silentLog })).keys()].sort());
  expect(await heads()).toEqual([ID, other].sort());
  await place.withApp(({ conversations }) => conversations.remove(other));
  expect(await heads()).toEqual([ID]);
  expect(readFileSync(path).includes('daybook-sealed')).toBe(true);
  expect(readFileSync(path).includes(ID)).toBe(false);
});

it('the doctor finds nothing wrong in the caches of an encrypted store', async () => {
  const place = await encryptedPlace();
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

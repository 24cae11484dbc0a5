/** The words of a conversation that is removed permanently leave the caches of all indexes at once. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { indexCachePath } from '../../src/app/cache-paths.js';
import type { App } from '../../src/app.js';
import { doctorPlace } from '../doctor/place.js';
import { idOf, put, sample } from '../search/search-place.js';

const CONVERSATIONS = 45;
const CACHES = ['search', 'recall', 'figures'] as const;
const REMOVED = 7;
/** In the text and the title of the removed conversation only. */
const WORDS = [`talk${REMOVED}`, `number${REMOVED}`];
/** More messages than the least that a cache is written for. */
const withCaches = async () => {
  const place = doctorPlace();
  for (let n = 0; n < CONVERSATIONS; n += 1) put(place.logs, idOf(n), sample(n, 50));
  await place.withApp(useIndexes);
  const paths = CACHES.map((name) => indexCachePath(place.config, name) ?? '');
  for (const path of paths) expect(wordsIn(path), path).not.toEqual([]);
  return { ...place, paths };
};

/** Uses all three, as a server does. Returns the numbers of messages that each has. */
async function useIndexes({ search, messageSearch, figures }: App) {
  search.start();
  const plain = { query: 'what was said about rivers', mode: 'auto', filters: {} } as const;
  const { total } = await messageSearch.search({ ...plain, limit: 1, offset: 0 });
  const all = [...(await figures.all())];
  for (const each of all) await figures.wordsOf(each);
  const counted = all.reduce((sum, { messages }) => sum + messages.length, 0);
  return { total, counted, indexed: search.status().messages };
}

/** Those of WORDS and the id of the removed conversation that the file has. */
function wordsIn(path: string): string[] {
  const bytes = readFileSync(path);
  const searched = [...WORDS, idOf(REMOVED)];
  // Stems that end in a digit and frequent words are stored as they are.
  return searched.filter((word) => new RegExp(`${word}(?!\\d)`).test(bytes.toString('latin1')));
}

const removals: readonly [how: string, remove: (app: App) => Promise<unknown>][] = [
  ['a removal', ({ conversations }) => conversations.remove(idOf(REMOVED))],
  [
    'a removal from the trash',
    async ({ conversations, trash }) => {
      await conversations.trash(idOf(REMOVED));
      return trash.removeAll(await trash.list());
    },
  ],
];

it.each(removals)('by %s, in a process that uses no index', async (_, remove) => {
  const { withApp, paths, examine } = await withCaches();
  await withApp(remove);
  for (const path of paths) {
    expect(wordsIn(path), path).toEqual([]);
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  }
  const findings = (await examine()).steps.flatMap((step) => step.findings);
  expect(findings.filter(({ path = '' }) => paths.includes(path))).toEqual([]);
  // The rest of each cache is still used.
  const kept = paths.map((path) => statSync(path, { bigint: true }).mtimeNs);
  const messages = 50 * (CONVERSATIONS - 1);
  expect(await withApp(useIndexes)).toMatchObject({ counted: messages, indexed: messages });
  expect(paths.map((path) => statSync(path, { bigint: true }).mtimeNs)).toEqual(kept);
});

it('while the process runs on', async () => {
  const { withApp, paths } = await withCaches();
  await withApp(async ({ conversations }) => {
    await conversations.remove(idOf(REMOVED));
    await expect.poll(() => paths.flatMap(wordsIn)).toEqual([]);
  });
});

it('also if the caches cannot be used any more', async () => {
  const { withApp, paths } = await withCaches();
  for (const path of paths) writeFileSync(path, readFileSync(path).subarray(9));
  await withApp(({ conversations }) => conversations.remove(idOf(REMOVED)));
  for (const path of paths) expect(existsSync(path), path).toBe(false);
});

it('makes no file if there is no cache', async () => {
  const place = doctorPlace();
  put(place.logs, idOf(REMOVED), sample(REMOVED));
  await place.withApp(({ conversations }) => conversations.remove(idOf(REMOVED)));
  expect(existsSync(dirname(indexCachePath(place.config) ?? ''))).toBe(false);
});

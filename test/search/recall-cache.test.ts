import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { encodeArrays } from '../../src/base/arrays/array-codec.js';
import { systemClock as clock } from '../../src/base/clock.js';
import { silentLog as log } from '../../src/base/log.js';
import type { RecallIndex } from '../../src/recall/recall-index.js';
import { writeCache } from '../../src/search/cache/cache-file.js';
import { recallChunks } from '../../src/search/cache/recall-cache.js';
import { KeywordSearch } from '../../src/search/messages/keyword-search.js';
import { RecallSync } from '../../src/search/recall/recall-sync.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import {
  boundariesOf,
  cacheFolder,
  damagedForms,
  killWriters,
  temporariesBeside,
} from './cache-harness.js';
import { idOf, openPlace, put, sample } from './search-place.js';

const CONVERSATIONS = 24;
const QUESTIONS = [
  'what was said about gardens',
  'letters',
  'talk3',
  'words of the river in winter',
];

const makeFolder = (count = CONVERSATIONS, messages = 5) =>
  cacheFolder('recall.bin', count, messages);

/** Store and recall as in a server, without a cache of the other index. */
async function openRecall(logsFolder: string, cachePath?: string) {
  const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
  const search = new KeywordSearch({ store, cachePath: undefined, clock, log });
  search.start('once');
  const sync = new RecallSync({ store, search, cachePath, log });
  const close = async () => {
    await sync.close();
    await search.close();
    await store.close();
  };
  return { store, sync, close };
}

/** Writes the cache for any size. */
async function saveCache(logsFolder: string, path: string): Promise<Buffer> {
  const { store, sync, close } = await openRecall(logsFolder);
  await sync.build();
  expect(await writeCache({ path, log }, recallChunks(sync.index, store))).toBe(true);
  await close();
  return readFileSync(path);
}

/** All results that depend on any message: totals, positions and scores. */
async function answersOf(index: RecallIndex): Promise<string> {
  const lines = [JSON.stringify({ ...index.stats(), stems: 0 })];
  for (const question of QUESTIONS) {
    const answer = await index.ask(question);
    const hits = answer.hits(0, answer.total);
    const lineOfHits = hits.map(
      (hit) => `${hit?.conversationId}/${hit?.seq} ${hit?.score.toFixed(9)}`,
    );
    lines.push(`${question}: ${answer.total}`, ...lineOfHits.sort());
  }
  return lines.join('\n');
}

/** A start with this cache, or without: its answers, and the number of files that it read. */
async function start(logsFolder: string, cachePath?: string) {
  const { sync, close } = await openRecall(logsFolder, cachePath);
  await sync.build();
  const answers = await answersOf(sync.index);
  const { total: filesRead } = sync.progress;
  await close();
  return { answers, filesRead };
}

const freshAnswers = async (logsFolder: string) => (await start(logsFolder)).answers;

describe('a valid cache of recall', () => {
  it('avoids reading the files; only files that changed since are read', async () => {
    const { logsFolder, cachePath } = makeFolder();
    await saveCache(logsFolder, cachePath);
    expect((statSync(cachePath).mode & 0o777).toString(8)).toBe('600');
    const warm = await start(logsFolder, cachePath);
    expect(warm.filesRead).toBe(0);
    expect(warm.answers).toBe(await freshAnswers(logsFolder));
    put(logsFolder, idOf(3), { ...sample(3, 2), title: 'edited' });
    put(logsFolder, idOf(4), '{ damaged');
    put(logsFolder, idOf(90), sample(90));
    rmSync(join(logsFolder, idOf(5)), { recursive: true });
    const changed = await start(logsFolder, cachePath);
    expect(changed.answers).toBe(await freshAnswers(logsFolder));
    expect(changed.filesRead).toBe(2);
  });

  it('has lower priority than what this process writes during the load', async () => {
    const { logsFolder, cachePath } = makeFolder();
    await saveCache(logsFolder, cachePath);
    for (let round = 0; round < 8; round += 1) {
      const { store, sync, close } = await openRecall(logsFolder, cachePath);
      const building = sync.build();
      await delay(round / 2);
      await store.append(idOf(round), [{ role: 'user', content: `gardens of round ${round}` }]);
      put(logsFolder, idOf(20), sample(20, round + 1));
      await store.load(idOf(20));
      await building;
      expect(await answersOf(sync.index), `round ${round}`).toBe(await freshAnswers(logsFolder));
      await close();
    }
  });

  it('adds the stems of later messages at each start', async () => {
    const { logsFolder, cachePath } = makeFolder();
    await saveCache(logsFolder, cachePath);
    for (let round = 0; round < 6; round += 1) {
      const { store, sync, close } = await openRecall(logsFolder, `${cachePath}${round || ''}`);
      await sync.build();
      expect(sync.progress.total).toBe(0);
      const content = `a letter about gooseberries ${round}, blackcurrant number${round}`;
      await store.append(idOf(round), [{ role: 'user', content }]);
      await store.removeIf(idOf(20 - round), () => true);
      const path = `${cachePath}${round + 1}`; // of a size that is not cached at the end
      expect(await writeCache({ path, log }, recallChunks(sync.index, store))).toBe(true);
      expect(await answersOf(sync.index)).toBe(await freshAnswers(logsFolder));
      expect((await sync.index.ask('gooseberry')).total).toBe(round + 1);
      await close();
    }
  });

  it('of another folder or of copied files is not used, because the stamps differ', async () => {
    const { root, logsFolder, cachePath } = makeFolder();
    await saveCache(logsFolder, cachePath);
    const copy = join(root, 'copy');
    cpSync(logsFolder, copy, { recursive: true, preserveTimestamps: true });
    const { answers, filesRead } = await start(copy, cachePath);
    expect(filesRead).toBe(CONVERSATIONS);
    expect(answers).toBe(await freshAnswers(copy));
  });
});

it('a build leaves out a conversation that is deleted while it is read', async () => {
  const { logsFolder } = makeFolder(5);
  const { store, sync, close } = await openRecall(logsFolder);
  const view = store.view.bind(store);
  store.view = async (ref) => {
    const found = await view(ref);
    if (ref === idOf(3)) await store.removeIf(idOf(3), () => true);
    return found;
  };
  await sync.build();
  expect(await answersOf(sync.index)).toBe(await freshAnswers(logsFolder));
  await close();
});

describe('a damaged cache of recall', () => {
  it('that is cut, changed or overwritten anywhere leads to correct results', async () => {
    const { logsFolder, cachePath } = makeFolder(8, 3);
    const cache = await saveCache(logsFolder, cachePath);
    const expected = await freshAnswers(logsFolder);
    const ends = boundariesOf(cache);
    expect(ends.at(-1)).toBe(cache.length);
    const check = async (bytes: Buffer, what: string) => {
      writeFileSync(cachePath, bytes);
      expect((await start(logsFolder, cachePath)).answers, what).toBe(expected);
    };
    for (const length of new Set([...ends.flatMap((end) => [end - 1, end]), 0, 1, 27]))
      await check(cache.subarray(0, length), `cut at ${length}`);
    for (const { bytes, what } of damagedForms(cache, 40)) await check(bytes, what);
  });

  it('of another version, or valid but of another form, is not used', async () => {
    const { logsFolder, cachePath } = makeFolder(6, 3);
    const expected = await freshAnswers(logsFolder);
    const metas = [
      null,
      7,
      {},
      { version: 0, terms: [] },
      { version: 1, terms: 7 },
      { version: 1, ids: 7 },
      { version: 3, isStems: true },
      { version: 3, ids: ['20250101-1735689600000'] },
    ];
    for (const meta of metas) {
      const chunk = encodeArrays(meta, {});
      const last = encodeArrays({ version: 99, terms: ['a'] }, {});
      expect(await writeCache({ path: cachePath, log }, [chunk, last])).toBe(true);
      const { answers, filesRead } = await start(logsFolder, cachePath);
      expect(answers).toBe(expected);
      expect(filesRead).toBe(6);
    }
    rmSync(cachePath);
    cpSync(logsFolder, cachePath, { recursive: true }); // a folder where the file should be
    expect((await start(logsFolder, cachePath)).answers).toBe(expected);
  });
});

describe('a write of the cache of recall', () => {
  it('happens once and only after a question, and removes deleted words', async () => {
    const { logsFolder, cachePath: index } = makeFolder(50, 60);
    const cachePath = `${index}.index`;
    const recallCachePath = index;
    const asked = async (
      work: (place: Awaited<ReturnType<typeof openPlace>>) => Promise<unknown>,
    ) => {
      const place = await openPlace({ logsFolder, cachePath, recallCachePath });
      place.search.start('once');
      await work(place);
      await place.close();
    };
    const plain = { query: 'gardens', mode: 'auto', filters: {}, limit: 5, offset: 0 } as const;
    await asked(({ search }) => search.built());
    expect(existsSync(recallCachePath)).toBe(false);
    await asked(({ messageSearch }) => messageSearch.search(plain));
    const { mtimeMs } = statSync(recallCachePath);
    expect(readFileSync(recallCachePath).includes('talk49')).toBe(true);
    await asked(({ messageSearch }) => messageSearch.search(plain));
    expect(statSync(recallCachePath).mtimeMs).toBe(mtimeMs); // nothing changed
    await asked(async ({ messageSearch, store }) => {
      await messageSearch.search(plain);
      await store.removeIf(idOf(49), () => true);
    });
    expect(readFileSync(recallCachePath).includes('talk49')).toBe(false);
    for (let n = 5; n < 49; n += 1) rmSync(join(logsFolder, idOf(n)), { recursive: true });
    await asked(({ messageSearch }) => messageSearch.search(plain));
    expect(existsSync(recallCachePath)).toBe(false); // too small for one
  });

  it('that is killed at random moments leads to correct results', async () => {
    const { logsFolder, cachePath } = makeFolder(60, 10);
    const expected = await freshAnswers(logsFolder);
    let warm = 0;
    for (let round = 0; round < 4; round += 1) {
      const paths = await killWriters({ logsFolder, cachePath }, 30, 'recall');
      for (const path of paths) {
        const { answers, filesRead } = await start(logsFolder, path);
        expect(answers).toBe(expected);
        if (filesRead === 0) warm += 1;
      }
    }
    console.log(`  warm after the kill: ${warm} of 12`);
    rmSync(`${cachePath}0.lock`, { recursive: true, force: true });
    await saveCache(logsFolder, `${cachePath}0`);
    expect(temporariesBeside(cachePath)).toEqual([]);
  });
});

import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { decodeArrays, encodeArrays } from '../../src/base/arrays/array-codec.js';
import { yieldToEventLoop } from '../../src/base/async/time-slice.js';
import { silentLog } from '../../src/base/log.js';
import { loadIndexCache } from '../../src/search/cache/index-cache.js';
import { MessageIndex } from '../../src/search/messages/message-index.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { rounds } from '../support/rounds.js';
import { saveIndexCache } from '../support/save-index-cache.js';
import {
  boundariesOf,
  cacheFolder,
  damagedForms,
  killWriter,
  killWriters,
  openIndex,
  saveCache,
  startWriter,
  temporariesBeside,
} from './cache-harness.js';
import { answersOf, ask, freshAnswers, idOf, openPlace, put, sample } from './search-place.js';

const CONVERSATIONS = 40;

const makeFolder = (count = CONVERSATIONS, messages = 5) =>
  cacheFolder('index.bin', count, messages);

/** A start with this cache: its answers, and the number of files that it read. */
async function start(logsFolder: string, cachePath: string) {
  const place = await openPlace({ logsFolder, cachePath });
  let filesRead = 0;
  place.store.follow(() => {
    filesRead += 1;
  });
  place.search.start('once');
  const first = await ask(place, 'common');
  const answers = await answersOf(place);
  const read = filesRead;
  await place.close();
  return { answers, filesRead: read, total: first.total };
}

describe('a valid cache', () => {
  it('avoids reading the files; only files that changed since are read', async () => {
    const { logsFolder, cachePath } = makeFolder();
    await saveCache(logsFolder, cachePath);
    expect((statSync(cachePath).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(dirname(cachePath)).mode & 0o777).toString(8)).toBe('700');
    const warm = await start(logsFolder, cachePath);
    expect(warm.filesRead).toBe(0);
    expect(warm.answers).toBe(await freshAnswers(logsFolder));
    put(logsFolder, idOf(3), { ...sample(3, 2), title: 'edited' });
    put(logsFolder, idOf(4), '{ damaged');
    put(logsFolder, idOf(90), sample(90));
    rmSync(join(logsFolder, idOf(5)), { recursive: true });
    renameSync(join(logsFolder, idOf(6)), join(logsFolder, idOf(91)));
    const changed = await start(logsFolder, cachePath);
    expect(changed.answers).toBe(await freshAnswers(logsFolder));
    expect(changed.filesRead).toBe(6); // two of them gone, one damaged
  });

  it('has lower priority than what this process writes during the load', async () => {
    const { logsFolder, cachePath } = makeFolder();
    await saveCache(logsFolder, cachePath);
    for (let round = 0; round < 10; round += 1) {
      const place = await openPlace({ logsFolder, cachePath });
      place.search.start('once');
      await delay(round / 2);
      const word = `edited round${round}`;
      await place.store.append(idOf(round), [{ role: 'user', content: word }]);
      await place.store.append('key', [{ role: 'user', content: word }], { create: true });
      put(logsFolder, idOf(20), sample(20, round + 1));
      await place.store.load(idOf(20));
      expect((await ask(place, `round${round}`)).total).toBe(2);
      expect(await answersOf(place)).toBe(await freshAnswers(logsFolder));
      await place.close();
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

describe('a damaged cache', () => {
  it('that is cut at any length leads to correct results', async () => {
    const { logsFolder, cachePath } = makeFolder();
    const cache = await saveCache(logsFolder, cachePath);
    const expected = await freshAnswers(logsFolder);
    const ends = boundariesOf(cache);
    expect(ends.at(-1)).toBe(cache.length);
    const middles = ends.map((end, index) => Math.round((end + (ends[index - 1] ?? 0)) / 2));
    const lengths = [...ends.flatMap((end) => [end - 1, end, end + 1]), ...middles, 0, 1, 27];
    for (const length of new Set(lengths)) {
      writeFileSync(cachePath, cache.subarray(0, length));
      expect((await start(logsFolder, cachePath)).answers, `cut at ${length}`).toBe(expected);
    }
  });

  it('with a changed bit or an overwritten part leads to correct results', async () => {
    const { logsFolder, cachePath } = makeFolder(12, 3);
    const cache = await saveCache(logsFolder, cachePath);
    const expected = await freshAnswers(logsFolder);
    for (const { bytes, what } of damagedForms(cache, 60)) {
      writeFileSync(cachePath, bytes);
      expect((await start(logsFolder, cachePath)).answers, what).toBe(expected);
    }
  });

  it('of another version, or valid but of another form, is not used', async () => {
    const { logsFolder, cachePath } = makeFolder(12, 3);
    const cache = await saveCache(logsFolder, cachePath);
    const expected = await freshAnswers(logsFolder);
    const manifestEnd = 4 + cache.readUInt32LE(0);
    const { meta: facts, arrays } = decodeArrays(cache.subarray(4, manifestEnd)) as {
      meta: object;
      arrays: Parameters<typeof encodeArrays>[1];
    };
    const withFacts = (changed: unknown) => {
      const manifest = encodeArrays(changed, arrays);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(manifest.length);
      return Buffer.concat([length, manifest, cache.subarray(manifestEnd)]);
    };
    // Of another format, with a correct checksum.
    const ofFormat = (format: number) => {
      const bytes = Buffer.from(cache);
      bytes.writeUInt32LE(format, 8);
      return bytes;
    };
    writeFileSync(cachePath, withFacts(facts));
    expect((await start(logsFolder, cachePath)).filesRead).toBe(0);
    const odd = [
      ofFormat(1),
      ofFormat(99),
      ...[null, 7, {}, { ...facts, version: 1 }, { ...facts, version: 99 }].map(withFacts),
      ...[undefined, 7, {}, [null], [{}], [{ conversationId: idOf(1) }]].map((heads) =>
        withFacts({ ...facts, heads }),
      ),
      cache.subarray(0, manifestEnd),
      Buffer.from('a text'),
      Buffer.alloc(100_000),
    ];
    for (const bytes of odd) {
      writeFileSync(cachePath, bytes);
      const { answers, filesRead } = await start(logsFolder, cachePath);
      expect(answers).toBe(expected);
      expect(filesRead).toBe(12);
    }
    rmSync(cachePath);
    cpSync(logsFolder, cachePath, { recursive: true }); // a folder where the file should be
    expect((await start(logsFolder, cachePath)).answers).toBe(expected);
  });
});

describe('a cache that is saved while the store changes', () => {
  it('has no wrong content', async () => {
    const { logsFolder, cachePath } = makeFolder(60, 4);
    const { store, index } = await openIndex(logsFolder);
    for (let round = 0; round < rounds(12); round += 1) {
      const saving = saveIndexCache({ path: cachePath, index, store, log: silentLog });
      for (let n = 0; n < 12; n += 1) {
        const id = idOf((round * 7 + n * 5) % 60);
        if (n % 3 === 0)
          await store.append(id, [{ role: 'user', content: `edited r${round} ${n}` }]);
        else put(logsFolder, id, { ...sample(n, (round % 4) + 1), title: `edited ${round}` });
        await store.refreshOne(id);
      }
      expect(await saving).toBe(true);
      const { answers } = await start(logsFolder, cachePath);
      expect(answers, `round ${round}`).toBe(await freshAnswers(logsFolder));
    }
    await store.close();
  });

  it('has no wrong content, also when later starts load and save it again', async () => {
    const { logsFolder, cachePath } = makeFolder(30, 4);
    await saveCache(logsFolder, cachePath);
    for (let round = 0; round < 12; round += 1) {
      const options = { logsFolder, maxMessages: 10_000, fsync: false };
      const store = await openConversationStore(options);
      const index = new MessageIndex();
      const place = { path: cachePath, index, store, log: silentLog };
      store.follow((change) => index.apply(change));
      await loadIndexCache(place);
      await store.append(idOf(round), [{ role: 'user', content: `grown ${round}` }]);
      if (round % 2 === 0) await store.removeIf(idOf(29 - round), () => true);
      put(logsFolder, idOf(40 + round), sample(round, 3));
      await store.refresh();
      const fresh = await openIndex(logsFolder);
      expect(index.text.stats()).toMatchObject({
        documents: fresh.index.text.stats().documents,
        terms: fresh.index.text.stats().terms,
        tokens: fresh.index.text.stats().tokens,
      });
      expect(await saveIndexCache(place)).toBe(true);
      await Promise.all([store.close(), fresh.store.close()]);
      const { answers, filesRead } = await start(logsFolder, cachePath);
      expect(answers, `round ${round}`).toBe(await freshAnswers(logsFolder));
      expect(filesRead).toBe(0);
    }
  });

  it('is not saved while the index lacks some changes', async () => {
    const { logsFolder, cachePath } = makeFolder(50, 60);
    const place = await openPlace({ logsFolder, cachePath });
    place.search.start('once');
    await ask(place, 'common');
    const messages = Array.from({ length: 9_000 }, (_, n) => ({
      role: 'user',
      content: `long${n} `.repeat(20),
    }));
    put(logsFolder, idOf(60), { title: 'long', messages });
    put(logsFolder, idOf(1), { ...sample(1, 60), title: 'renamed' });
    const changes: Promise<unknown>[] = [];
    const isRead = async (id: string, title: string) => {
      changes.push(place.store.load(id));
      const isKnown = () =>
        [...place.store.known()].some(
          ({ head }) => head.conversationId === id && head.title === title,
        );
      while (!isKnown()) await yieldToEventLoop();
    };
    await isRead(idOf(60), 'long');
    await isRead(idOf(1), 'renamed');
    await place.close();
    await Promise.allSettled(changes);
    expect((await start(logsFolder, cachePath)).answers).toBe(await freshAnswers(logsFolder));
    const again = await openPlace({ logsFolder, cachePath });
    again.search.start('once');
    expect((await ask(again, 'renamed')).total).toBe(60);
  });

  it('is saved once by a search after enough changes, and loses deleted content', async () => {
    const { logsFolder, cachePath } = makeFolder(50, 60);
    const place = await openPlace({ logsFolder, cachePath });
    place.search.start('once');
    await ask(place, 'common');
    await place.close();
    const { mtimeMs } = statSync(cachePath);
    const again = await openPlace({ logsFolder, cachePath });
    again.search.start('once');
    await ask(again, 'common');
    await again.close();
    expect(statSync(cachePath).mtimeMs).toBe(mtimeMs); // nothing changed
    const edited = await openPlace({ logsFolder, cachePath });
    edited.search.start('once');
    await ask(edited, 'common');
    expect(readFileSync(cachePath).includes('talk49')).toBe(true);
    await edited.store.removeIf(idOf(49), () => true);
    await edited.close();
    expect(readFileSync(cachePath).includes('talk49')).toBe(false);
    for (let n = 5; n < 49; n += 1) rmSync(join(logsFolder, idOf(n)), { recursive: true });
    const small = await openPlace({ logsFolder, cachePath });
    small.search.start('once');
    await ask(small, 'common');
    await small.close();
    expect(readdirSync(dirname(cachePath))).toEqual([]);
  });
});

/** Each of them kills three writers. */
const KILL_ROUNDS = rounds(5);

describe('killed writers, and two writers at once', () => {
  it('kill -9 at random moments leads to correct results, and remaining files are removed', async () => {
    const { logsFolder, cachePath } = makeFolder(60, 10);
    const expected = await freshAnswers(logsFolder);
    let leftovers = 0;
    let warm = 0;
    for (let round = 0; round < KILL_ROUNDS; round += 1) {
      const paths = await killWriters({ logsFolder, cachePath }, 40);
      for (const path of paths) {
        const { answers, filesRead } = await start(logsFolder, path);
        expect(answers).toBe(expected);
        if (filesRead === 0) warm += 1;
      }
      leftovers = Math.max(leftovers, temporariesBeside(cachePath).length);
    }
    console.log(
      `  warm after the kill: ${warm} of ${3 * KILL_ROUNDS}; most half-written files at once: ${leftovers}`,
    );
    rmSync(`${cachePath}0.lock`, { recursive: true, force: true });
    await saveCache(logsFolder, `${cachePath}0`);
    expect(temporariesBeside(cachePath)).toEqual([]);
  });

  it('two processes that write one cache get correct results at every moment', async () => {
    const { logsFolder, cachePath } = makeFolder(60, 10);
    const expected = await freshAnswers(logsFolder);
    const writers = [
      await startWriter(logsFolder, cachePath),
      await startWriter(logsFolder, cachePath),
    ];
    // A writer starts before its first file exists, which takes longer on a busy machine.
    await expect.poll(() => existsSync(cachePath)).toBe(true);
    for (let round = 0; round < rounds(10); round += 1) {
      const { answers, filesRead } = await start(logsFolder, cachePath);
      expect({ answers, filesRead }).toEqual({ answers: expected, filesRead: 0 });
    }
    for (const writer of writers) await killWriter(writer);
  });
});

describe('content from a cache', () => {
  it('is removed from the index with its conversation, even if only a part of it was loaded', async () => {
    const { logsFolder, cachePath } = makeFolder(10, 5);
    const cache = await saveCache(logsFolder, cachePath);
    const ends = boundariesOf(cache);
    writeFileSync(cachePath, cache.subarray(0, ends.at(-2)));
    const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
    const index = new MessageIndex();
    await loadIndexCache({ path: cachePath, index, store, log: silentLog });
    expect(index.text.size).toBe(0);
    expect(index.text.stats().terms).toBe(0);
  });
});

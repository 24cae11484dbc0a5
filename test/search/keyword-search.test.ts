/**
 * The search in a store that changes: its own writes, edits by hand, git. The reference is a new index of the
 * same files.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { keywordWhy } from '../../src/search/hit-reasons.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';
import {
  agreesSoon,
  ask,
  expectAgreement,
  FIRST_MS,
  idOf,
  openPlace,
  put,
  type SearchPlace,
  sample,
} from './search-place.js';

const totalOf = async (place: SearchPlace, query: string) => (await ask(place, query)).total;
const has = (place: SearchPlace, query: string, total: number) => async () =>
  (await totalOf(place, query)) === total;

async function openWith(count: number, options = {}) {
  const logsFolder = join(tempFolder(), 'logs');
  for (let n = 0; n < count; n += 1) put(logsFolder, idOf(n), sample(n));
  const place = await openPlace({ logsFolder, ...options });
  await ask(place, 'common');
  return place;
}

it('the number of messages with a word does not count titles', async () => {
  const place = await openPlace();
  put(place.logsFolder, idOf(0), {
    title: 'Zebrafish tank 水車',
    messages: ['The zebrafish hide.', 'Oxygen "levels".', '水車 turns.'].map((content) => ({
      role: 'user',
      content,
    })),
  });
  await place.search.built();
  const { documents, counts } = await place.search.frequencies(['zebrafish', 'tank', 'oxygen']);
  expect({ documents, counts }).toEqual({ documents: 3, counts: [1, 0, 1] });
  expect((await place.search.frequencies(['水車', "isn't"])).counts[0]).toBeGreaterThan(0);
});

it('the number of messages with a word is computed again only after a change', async () => {
  const place = await openPlace();
  put(place.logsFolder, idOf(0), sample(0));
  await place.search.built();
  const { text } = place.search.index;
  const searches = vi.spyOn(text, 'searchAsync');
  const counts = async () => (await place.search.frequencies(['common', 'walrus'])).counts;
  expect(await counts()).toEqual([4, 0]);
  expect(await counts()).toEqual([4, 0]);
  expect(searches).toHaveBeenCalledTimes(2);
  await place.store.append(idOf(0), [{ role: 'user', content: 'A common walrus.' }]);
  expect(await counts()).toEqual([5, 1]);
  expect(searches).toHaveBeenCalledTimes(4);
});

describe('a write of this process', () => {
  it('is found by the next search, and so is a reply in the same conversation', async () => {
    const place = await openPlace();
    const saved = await place.store.create({
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
    });
    const { total, hits } = await ask(place, 'capital France');
    expect(total).toBe(1);
    expect(hits).toMatchObject([{ conversationId: saved.conversationId, seq: 1, role: 'user' }]);
    await place.store.append(saved.conversationId, [{ role: 'assistant', content: 'Paris.' }]);
    expect((await ask(place, 'paris')).hits).toMatchObject([
      { seq: 2, snippet: '<mark>Paris</mark>.' },
    ]);
    await expectAgreement(place);
  });

  it('is found if it was made before any search, or while the index is built', async () => {
    const logsFolder = join(tempFolder(), 'logs');
    for (let n = 0; n < 300; n += 1) put(logsFolder, idOf(n), sample(n));
    const place = await openPlace({ logsFolder });
    await place.store.append('early', [{ role: 'user', content: 'edited zebra' }], {
      create: true,
    });
    await place.store.list();
    place.search.start();
    const late = place.store.append(idOf(1), [{ role: 'user', content: 'edited yak' }]);
    expect(await totalOf(place, 'zebra')).toBe(1);
    await late;
    expect(await totalOf(place, 'yak')).toBe(1);
    await expectAgreement(place);
  });

  it('removes deleted messages from the index', async () => {
    const place = await openWith(6);
    await place.store.removeIf(idOf(3), () => true);
    expect(await totalOf(place, 'talk3')).toBe(0);
    await expectAgreement(place);
  });
});

it('an empty result is explained for one long word as fast as for other words', () => {
  // It would take hours if the time were quadratic.
  expect(keywordWhy('a'.repeat(2_000_000), 'b')).toEqual({});
  expect(keywordWhy('gard*', 'the garden')).toEqual({ words: ['garden'] });
  const words = ['の壁のトマト', '京都'];
  expect(keywordWhy('南の壁のトマト 京都', '京都の壁のﾄﾏﾄ')).toEqual({ words });
  expect(keywordWhy('トマト', 'トマ、マト', 'トマト')).toEqual({ words: ['トマ', 'マト'] });
  expect(keywordWhy('トマト', '肥料', 'トマト')).toEqual({ title: ['トマト'] });
});

describe('edits by hand', () => {
  it('are followed: one, many, and a new, deleted, recreated, moved and copied folder', async () => {
    const place = await openWith(30);
    const { logsFolder } = place;
    const words = (word: string) => ({ messages: [{ role: 'user', content: `edited ${word}` }] });
    put(logsFolder, idOf(7), words('apricot'));
    await agreesSoon('one edit', place, has(place, 'apricot', 1));
    for (let n = 0; n <= 200; n += 1) put(logsFolder, idOf(8), words(`burst${n}`));
    await agreesSoon('a burst of 200 edits', place, has(place, 'burst200', 1));
    put(logsFolder, idOf(100), words('newcomer'));
    await agreesSoon('a new folder', place, has(place, 'newcomer', 1));
    rmSync(join(logsFolder, idOf(100)), { recursive: true });
    await agreesSoon('a deleted folder', place, has(place, 'newcomer', 0));
    put(logsFolder, idOf(100), words('returned'));
    await agreesSoon('a recreated folder', place, has(place, 'returned', 1));
    put(logsFolder, idOf(100), words('afterwards'));
    await agreesSoon('an edit in the recreated folder', place, has(place, 'afterwards', 1));
    renameSync(join(logsFolder, idOf(100)), join(logsFolder, idOf(101)));
    await agreesSoon('a moved folder', place, async () => {
      const { hits } = await ask(place, 'afterwards');
      return hits.length === 1 && hits[0]?.conversationId === idOf(101);
    });
    cpSync(join(logsFolder, idOf(7)), join(logsFolder, idOf(102)), { recursive: true });
    await agreesSoon('a copied folder', place, has(place, 'apricot', 2));
    writeFileSync(join(logsFolder, idOf(9), 'conversation.json'), JSON.stringify(words('inplace')));
    await agreesSoon('an edit in place', place, has(place, 'inplace', 1));
  });

  it('of a title, a tag or a module change every message of the conversation', async () => {
    const place = await openWith(5);
    put(place.logsFolder, idOf(2), { ...sample(2), title: 'edited heading' });
    await agreesSoon('title', place, has(place, 'title : heading', 4));
    put(place.logsFolder, idOf(2), { ...sample(2), module: 'attic' });
    await agreesSoon('module', place, has(place, 'module : attic', 4));
    expect(await totalOf(place, 'heading')).toBe(0);
    put(place.logsFolder, idOf(2), { ...sample(2, 2), tags: ['edited'] });
    await agreesSoon('tags, and two messages less', place, has(place, 'tags : edited', 2));
  });

  it('move a derived title with the message from which it was derived', async () => {
    const place = await openPlace();
    const { logsFolder } = place;
    const message = { role: 'user', content: 'edited name', createdAt: '2025-01-01T00:00:00.000Z' };
    const withIds = (...ids: string[]) => {
      const messages = ids.map((id) => ({ ...message, id }));
      put(logsFolder, idOf(0), JSON.stringify({ title: 'edited name', titleFrom: 'a', messages }));
    };
    const named = async () => (await ask(place, 'title : name')).hits.map(({ seq }) => seq);
    withIds('a', 'b');
    expect(await named()).toEqual([1]);
    withIds('b', 'a');
    await agreesSoon('ids changed places', place, async () => (await named())[0] === 2);
    expect(await named()).toEqual([2]);
  });

  it('that damage a conversation have no effect on others, and a repair makes it found again', async () => {
    const place = await openWith(5);
    put(place.logsFolder, idOf(2), '{ "messages": [');
    expect(await totalOf(place, 'talk2')).toBe(0); // at once, because its hits cannot be read
    expect(await totalOf(place, 'common')).toBe(16);
    await expectAgreement(place);
    put(place.logsFolder, idOf(2), sample(2));
    await agreesSoon('mended', place, has(place, 'talk2', 4));
  });

  it('by a git checkout of 500 conversations, forth and back, are followed', async () => {
    const logsFolder = join(tempFolder(), 'logs');
    for (let n = 0; n < 600; n += 1) put(logsFolder, idOf(n), sample(n));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        cwd: logsFolder,
        stdio: 'ignore',
      });
    git('init', '-b', 'main');
    git('add', '-f', '.');
    git('commit', '-m', 'one');
    git('checkout', '-b', 'other');
    for (let n = 0; n < 500; n += 1)
      put(logsFolder, idOf(n), { ...sample(n, 3), title: `edited number${n}` });
    git('commit', '-am', 'two');
    const place = await openPlace({ logsFolder });
    expect(await totalOf(place, 'edited')).toBe(1500);
    git('checkout', 'main');
    await agreesSoon('git checkout of 500 files', place, has(place, 'edited', 0));
    git('checkout', 'other');
    await agreesSoon('and back', place, has(place, 'edited', 1500));
  });

  it('of one of more conversations than are watched are followed too', async () => {
    const place = await openWith(1500);
    await delay(500); // the watch begins after the index is built
    expect(place.store.watching()?.watchedFolders).toBeLessThan(1100);
    put(place.logsFolder, idOf(3), { messages: [{ role: 'user', content: 'edited hot' }] });
    await agreesSoon('first edit of a cold one', place, has(place, 'hot', 1));
    put(place.logsFolder, idOf(3), { messages: [{ role: 'user', content: 'edited hotter' }] });
    await agreesSoon('second edit, now a hot one', place, has(place, 'hotter', 1));
  });

  it('by another process that appends are followed', async () => {
    const place = await openWith(10);
    const other = await openPlace({ logsFolder: place.logsFolder });
    await other.store.append(idOf(4), [{ role: 'user', content: 'edited elsewhere' }]);
    await agreesSoon('a write of another store', place, has(place, 'elsewhere', 1));
  });
});

describe('filters', () => {
  it('apply before the limit: totals and pages count only what passes', async () => {
    const place = await openWith(20);
    const pages = [];
    for (let offset = 0; offset < 12; offset += 5)
      pages.push(
        await ask(place, 'common', { filters: { module: 'home', role: 'user' }, limit: 5, offset }),
      );
    expect(pages.every(({ total }) => total === 20)).toBe(true);
    const hits = pages.flatMap((page) => page.hits);
    expect(new Set(hits.map(({ conversationId, seq }) => `${conversationId}/${seq}`)).size).toBe(
      15,
    );
    expect(hits.every(({ module, role }) => module === 'home' && role === 'user')).toBe(true);
    expect(hits.map(({ position }) => position)).toEqual(hits.map((_, index) => index));
  });

  it('by conversation and by time include both ends', async () => {
    const place = await openWith(10);
    const one = await ask(place, 'common', { filters: { conversationId: idOf(4) } });
    expect(one.hits.map(({ seq }) => seq).sort()).toEqual([1, 2, 3, 4]);
    const startTime = FIRST_MS + 4 * 86_400_000 + 60_000;
    const within = await ask(place, 'common', {
      filters: { startTime, endTime: startTime + 60_000 },
    });
    expect(within.hits.map(({ conversationId, seq }) => [conversationId, seq]).sort()).toEqual([
      [idOf(4), 2],
      [idOf(4), 3],
    ]);
  });

  it('that leave no result report how many matches each of them excluded', async () => {
    const place = await openWith(10);
    const filters = { conversationId: idOf(3), module: 'home', role: 'user' as const };
    const { total, withoutFilter } = await ask(place, 'common', { filters });
    expect(total).toBe(0);
    expect(withoutFilter).toEqual({ conversationId: 10, module: 2, role: 0, all: 40 });
  });
});

describe('words', () => {
  it('that no message has are named; if no message has all of them, any of them matches', async () => {
    const place = await openWith(4);
    const none = await ask(place, 'rhinoceros common');
    expect(none).toMatchObject({ total: 16, relaxed: true, unknownWords: [] });
    const unknown = await ask(place, 'rhinoceros hippopotamus');
    expect(unknown).toMatchObject({ total: 0, relaxed: false });
    expect([...unknown.unknownWords].sort()).toEqual(['hippopotamus', 'rhinoceros']);
  });

  it('of Chinese are found by two characters, and words with symbols as typed', async () => {
    const place = await openPlace();
    const say = (content: string) => place.store.create({ messages: [{ role: 'user', content }] });
    await say('學而時習之不亦說乎');
    await say('Templates in C++ are Turing complete');
    await say('C is smaller');
    await say('put the key in .env, not in env.ts');
    await say('never type rm -rf here');
    await say('rm and rf are words');
    for (const [query, content] of [
      ['時習', '學而時習之不亦說乎'],
      ['C++', 'Templates in C++ are Turing complete'],
      ['.env', 'put the key in .env, not in env.ts'],
      ['rm -rf', 'never type rm -rf here'],
    ] as const) {
      expect(
        (await ask(place, query)).hits.map((hit) => hit.content),
        query,
      ).toEqual([content]);
    }
    await expectAgreement(place);
  });

  it('in invalid FTS5 syntax are an error with a position only for fts5', async () => {
    const place = await openWith(2);
    const error = await errorOf(ask(place, 'common AND', { matchType: 'fts5' }));
    expect(error.code).toBe('QUERY_SYNTAX');
    expect(error.details).toMatchObject({ position: expect.any(Number) });
    for (const matchType of ['auto', 'any', 'exact', 'prefix', 'fuzzy'] as const)
      expect((await ask(place, 'common AND (', { matchType })).total).toBeTypeOf('number');
  });
});

describe('an index that is not complete', () => {
  it('is waited for with progress, or the answer has the state of the build', async () => {
    const logsFolder = join(tempFolder(), 'logs');
    for (let n = 0; n < 3_000; n += 1) put(logsFolder, idOf(n), sample(n, 20));
    const place = await openPlace({ logsFolder });
    const early = await ask(place, 'common', {}, { maxWaitMs: 0 });
    expect(early.indexing).toMatchObject({ done: expect.any(Number), total: expect.any(Number) });
    expect(early.total).toBeLessThan(60_000);
    const reports: { progress: number; total: number }[] = [];
    const whole = await ask(place, 'common', {}, { progress: (report) => reports.push(report) });
    expect(whole.total).toBe(60_000);
    expect(whole.indexing).toBeUndefined();
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.every(({ progress, total }) => progress <= total)).toBe(true);
  });

  it('no longer delays a caller that cancels, and its build ends with the store', async () => {
    const logsFolder = join(tempFolder(), 'logs');
    for (let n = 0; n < 2_000; n += 1) put(logsFolder, idOf(n), sample(n));
    const place = await openPlace({ logsFolder });
    const stop = new AbortController();
    const waiting = errorOf(ask(place, 'common', {}, { signal: stop.signal }));
    stop.abort();
    expect((await waiting).code).toBe('CANCELLED');
    expect((await errorOf(ask(place, 'common', {}, { signal: stop.signal }))).code).toBe(
      'CANCELLED',
    );
    await place.close();
    const { messages } = place.search.status();
    await delay(200);
    expect(place.search.status().messages).toBeLessThanOrEqual(messages + 200);
    expect(place.search.status().isBuilt).toBe(false);
  });

  it('that cannot be built is reported, and a later search builds it', async () => {
    const root = tempFolder();
    const logsFolder = join(root, 'logs');
    const place = await openPlace({ logsFolder });
    renameSync(logsFolder, `${logsFolder}-away`);
    writeFileSync(logsFolder, 'a file where the folder was');
    const error = await errorOf(ask(place, 'common'));
    expect(error.code).toBe('FILESYSTEM_ERROR');
    rmSync(logsFolder);
    renameSync(`${logsFolder}-away`, logsFolder);
    put(logsFolder, idOf(1), sample(1));
    expect(await totalOf(place, 'common')).toBe(4);
  });

  it('lets other work run while one conversation with very many messages is indexed', async () => {
    const place = await openPlace();
    put(place.logsFolder, idOf(0), sample(0));
    expect(await totalOf(place, 'common')).toBe(4);
    const messages = Array.from({ length: 50_000 }, (_, n) => ({
      role: 'user',
      content: `bulk ${n}`,
    }));
    put(place.logsFolder, idOf(1), { messages });
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    const seen: number[] = [];
    while ((seen.at(-1) ?? 0) < messages.length) {
      seen.push((await ask(place, 'bulk', {}, { maxWaitMs: 0 })).total);
      await delay(1);
    }
    clearInterval(counting);
    // A search was answered from a part of the index, and timers ran many times.
    expect(seen.filter((total) => total > 0 && total < messages.length)).not.toEqual([]);
    expect(turns).toBeGreaterThan(50);
    expect(await totalOf(place, 'bulk')).toBe(messages.length);
  });

  it('that is closed ends the searches that wait for it', async () => {
    const logsFolder = join(tempFolder(), 'logs');
    for (let n = 0; n < 500; n += 1) put(logsFolder, idOf(n), sample(n));
    const place = await openPlace({ logsFolder });
    const built = errorOf(place.search.built());
    await place.close();
    expect((await built).code).toBe('CANCELLED');
    expect((await errorOf(place.search.built())).code).toBe('CANCELLED');
  });
});

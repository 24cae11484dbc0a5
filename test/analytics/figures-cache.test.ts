/** The figures' cache on disk: what a start with it reads, and that no damage of it shows in an answer. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkFiguresCache } from '../../src/analytics/check-figures-cache.js';
import { Figures } from '../../src/analytics/figures.js';
import { figuresOf } from '../../src/analytics/message-figures.js';
import { encodeArrays } from '../../src/base/arrays/array-codec.js';
import { silentLog as log } from '../../src/base/log.js';
import { writeCache } from '../../src/search/cache/cache-file.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import type { Message } from '../../src/stores/conversations/document/schema.js';
import { cacheFolder, damagedForms } from '../search/cache-harness.js';
import { idOf, put, sample } from '../search/search-place.js';

/** More messages than the least that a cache is written for. */
const CONVERSATIONS = 42;
const MESSAGES = 50;

const makeFolder = (count = CONVERSATIONS, messages = MESSAGES) =>
  cacheFolder('figures.bin', count, messages);

const paid = (n: number) => ({
  ...sample(n, 1),
  messages: [
    {
      role: 'assistant',
      content: 'An answer about the mill wheel, 水車.',
      createdAt: '2025-01-24T23:30:00.000Z',
      metadata: {
        model: 'sonar',
        usage: { totalTokens: 900 },
        cost: { currency: 'EUR', total: 0.5 },
      },
    },
  ],
});

async function openFigures(logsFolder: string, cachePath?: string) {
  const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false, log });
  const figures = new Figures({ store, cachePath, log });
  const read = new Set<string>();
  const view = store.view.bind(store);
  store.view = (ref) => {
    read.add(ref);
    return view(ref);
  };
  const close = async () => {
    await figures.close();
    await store.close();
  };
  onTestFinished(close);
  return { store, figures, read, close };
}

/** A start with this cache, or without: all figures and words, and the conversations that were read. */
async function start(logsFolder: string, cachePath?: string) {
  const { figures, read, close } = await openFigures(logsFolder, cachePath);
  const all = [...(await figures.all())];
  const answers: unknown[] = [];
  for (const each of all) {
    const { head, messages } = each;
    answers.push([head.conversationId, head.title, messages, await figures.wordsOf(each)]);
  }
  await close();
  const answer = answers.map((each) => JSON.stringify(each)).sort();
  return { answer, read: [...read].sort() };
}

it('saves reading the conversations, and only what changed since is read', async () => {
  const { logsFolder, cachePath } = makeFolder();
  put(logsFolder, idOf(77), paid(77));
  const first = await start(logsFolder, cachePath);
  expect(first.read).toHaveLength(CONVERSATIONS + 1);
  expect((statSync(cachePath).mode & 0o777).toString(8)).toBe('600');
  const warm = await start(logsFolder, cachePath);
  expect(warm).toEqual({ answer: first.answer, read: [] });

  put(logsFolder, idOf(3), { ...sample(3, 2), title: 'edited' });
  put(logsFolder, idOf(4), '{ damaged');
  put(logsFolder, idOf(90), sample(90));
  rmSync(join(logsFolder, idOf(5)), { recursive: true });
  const changed = await start(logsFolder, cachePath);
  expect(changed.read).toEqual([idOf(3), idOf(90)]);
  expect(changed.answer).toEqual((await start(logsFolder)).answer);
});

it('follows what is written and edited after it was loaded', async () => {
  const { logsFolder, cachePath } = makeFolder();
  await start(logsFolder, cachePath);
  const { store, figures, read, close } = await openFigures(logsFolder, cachePath);
  await figures.all();
  await store.append(idOf(1), [{ role: 'user', content: 'One more about gooseberries' }]);
  put(logsFolder, idOf(2), sample(2, 400)); // so many are counted when they are asked for
  await store.removeIf(idOf(6), () => true);
  const all = new Map([...(await figures.all())].map((each) => [each.head.conversationId, each]));
  expect(all.get(idOf(1))?.messages).toHaveLength(MESSAGES + 1);
  expect(all.get(idOf(2))?.messages).toHaveLength(400);
  expect(all.has(idOf(6))).toBe(false);
  expect([...read]).toEqual([idOf(2)]);
  await close();
  expect(readFileSync(cachePath).includes(idOf(6))).toBe(false);
  const warm = await start(logsFolder, cachePath);
  expect(warm.answer).toEqual((await start(logsFolder)).answer);
});

it('has no earlier words of a long conversation that an editor changed', async () => {
  const { logsFolder, cachePath } = makeFolder();
  const text = (word: string) => ({
    messages: Array.from({ length: 400 }, (_, n) => ({
      role: 'user',
      content: `the ${word} said${n}`,
      createdAt: sample(1, 1).messages[0]?.createdAt ?? '',
    })),
  });
  put(logsFolder, idOf(60), text('tomato'));
  await start(logsFolder, cachePath);
  const { figures, close } = await openFigures(logsFolder, cachePath);
  await figures.all();
  put(logsFolder, idOf(60), text('potato')); // as many words, tokens and characters
  const all = [...(await figures.all())];
  const changed = all.find(({ head }) => head.conversationId === idOf(60));
  const words = changed === undefined ? [] : await figures.wordsOf(changed);
  expect(words.map(({ word }) => word)).toContain('potato');
  await close();
  expect(readFileSync(cachePath).includes('tomato')).toBe(false);
});

it('are right if a message comes while an edited conversation is counted', async () => {
  const { logsFolder } = makeFolder(3, 5);
  const id = idOf(50);
  put(logsFolder, id, sample(50, 300));
  const { store, figures } = await openFigures(logsFolder);
  await figures.all();
  const longer = sample(50, 300).messages.map(({ role, content, createdAt = '' }) => {
    return { role, content: `${content} and more`, createdAt };
  });
  put(logsFolder, id, { messages: longer });
  const view = store.view.bind(store);
  store.view = async (ref) => {
    if (ref === id) await store.append(id, [{ role: 'user', content: 'One more' }]);
    store.view = view;
    return view(ref);
  };
  const all = [...(await figures.all())];
  const { words } = all.find(({ head }) => head.conversationId === id)?.messages[0] ?? {};
  expect(words).toBe(figuresOf({ ...longer[0], id: 'm' } as Message).words);
});

it('loses the words of what was deleted, and goes where too little is left', async () => {
  const { logsFolder, cachePath } = makeFolder();
  await start(logsFolder, cachePath);
  expect(readFileSync(cachePath).includes('talk41')).toBe(true);
  rmSync(join(logsFolder, idOf(41)), { recursive: true });
  await start(logsFolder, cachePath);
  expect(readFileSync(cachePath).includes('talk41')).toBe(false);
  rmSync(join(logsFolder, idOf(40)), { recursive: true });
  rmSync(join(logsFolder, idOf(39)), { recursive: true });
  await start(logsFolder, cachePath);
  expect(existsSync(cachePath)).toBe(false);
});

it('gives right figures whatever the damage, and the doctor finds what is wrong in it', async () => {
  const { logsFolder, cachePath } = makeFolder();
  const { answer } = await start(logsFolder, cachePath);
  const whole = readFileSync(cachePath);
  const check = () => checkFiguresCache(cachePath, () => undefined);
  expect(await check()).toEqual({ conversations: CONVERSATIONS });
  const forms = [
    ...[...damagedForms(whole, 4)].slice(-8),
    { bytes: whole.subarray(0, whole.length - 1), what: 'cut' },
    { bytes: Buffer.alloc(0), what: 'empty' },
  ];
  for (const { bytes, what } of forms) {
    writeFileSync(cachePath, bytes);
    expect((await start(logsFolder, cachePath)).answer, what).toEqual(answer);
  }
  const other = encodeArrays({ version: 99, ids: [idOf(1)] }, {});
  expect(await writeCache({ path: cachePath, log }, [other])).toBe(true);
  expect((await start(logsFolder, cachePath)).answer).toEqual(answer);
  writeFileSync(cachePath, 'noise');
  expect((await check()).problem).toContain('damaged');
});

it('reports how much is counted while a caller waits', async () => {
  const { logsFolder } = makeFolder(3, 5);
  const long = 'The river rises in the hills and goes down to the sea. '.repeat(200);
  const messages = Array.from({ length: 250 }, (_, n) => ({
    role: 'user',
    content: `${n} ${long}`,
  }));
  put(logsFolder, idOf(50), { messages });
  const { store, figures } = await openFigures(logsFolder);
  const view = store.view.bind(store);
  let reported: () => void = () => undefined;
  const isReported = new Promise<void>((resolve) => {
    reported = resolve;
  });
  store.view = async (ref) => {
    await isReported; // so that the count is not over before the first report
    return view(ref);
  };
  const reports: { progress: number; total: number }[] = [];
  await figures.all({
    progress: (report) => {
      reports.push(report);
      reported();
    },
  });
  expect(reports.length).toBeGreaterThan(0);
  expect(reports.at(-1)?.total).toBeGreaterThan(2);
});

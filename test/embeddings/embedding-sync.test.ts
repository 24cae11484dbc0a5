/**
 * Vectors kept for a store that changes, with a server of the OpenAI format on loopback: made in the
 * background, taken over after a restart, never mixed between models, made anew where a file is damaged.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TimeSlice } from '../../src/base/async/time-slice.js';
import { sleep, systemClock } from '../../src/base/clock.js';
import { AppError } from '../../src/base/errors.js';
import { silentLog } from '../../src/base/log.js';
import { EmbeddingSync } from '../../src/embeddings/embedding-sync.js';
import { PassageRows } from '../../src/embeddings/passage-rows.js';
import { createRemoteEmbedder } from '../../src/embeddings/remote-embedder.js';
import { createVectorSource } from '../../src/embeddings/stored-vector-source.js';
import { VectorFiles } from '../../src/embeddings/vectors/vector-files.js';
import { VectorTable } from '../../src/embeddings/vectors/vector-table.js';
import { SecretMasker } from '../../src/privacy/secret-masker.js';
import { passagesOf } from '../../src/recall/passages.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { startEmbeddings } from '../support/embeddings-stand-in.js';
import { tempFolder } from '../support/temp-folder.js';
import { STEPS_PER_SLICE, tickingClock } from '../support/ticking-clock.js';

const masker = new SecretMasker({ masksSecrets: true });

async function openPlace() {
  const folder = tempFolder();
  const api = await startEmbeddings();
  const logsFolder = join(folder, 'logs');
  const conversations = await openConversationStore({
    logsFolder,
    fsync: false,
    maxMessages: 5_000,
  });
  onTestFinished(() => conversations.close());
  const vectorsFolder = join(folder, 'vectors');
  const open = (model = 'm1', clock = systemClock) => {
    const sync = new EmbeddingSync({
      conversations,
      open: async () =>
        createRemoteEmbedder({
          name: 'api',
          endpoint: api.url,
          model,
          clock: systemClock,
          retryDelayMs: 1,
        }),
      folder: vectorsFolder,
      splitPassages: passagesOf,
      clock,
      log: silentLog,
      pollIntervalMs: 20,
    });
    onTestFinished(() => sync.close());
    return sync;
  };
  const start = (model = 'm1', clock = systemClock) => {
    const sync = open(model, clock);
    sync.start();
    return { sync, source: createVectorSource(sync, { log: silentLog, masker }) };
  };
  const add = async (...contents: string[]) =>
    (
      await conversations.create({
        messages: contents.map((content) => ({ role: 'user' as const, content })),
      })
    ).conversationId;
  const files = () =>
    readdirSync(vectorsFolder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.vectors'))
      .map((name) => join(vectorsFolder, name));
  return { api, conversations, open, start, add, files };
}

const until = async (holds: () => boolean): Promise<void> => {
  await expect.poll(holds, { interval: 20 }).toBe(true);
};

/** Number of vectors in a file. */
const countIn = (path: string) => /"count":(\d+)/.exec(readFileSync(path, 'latin1'))?.[1];

/** The pause after a failure takes a minute. */
function clockAhead() {
  const clock = {
    ...systemClock,
    aheadMs: 0,
    monotonic: (): number => systemClock.monotonic() + clock.aheadMs,
  };
  return clock;
}

const isReady = (sync: EmbeddingSync, passages: number) => () => {
  const { state, embedded } = sync.progress;
  return state === 'ready' && embedded === passages;
};

describe('vectors of a store', () => {
  it('are asked without the private parts and keys of the question', async () => {
    const { api, start, add } = await openPlace();
    await add('one');
    const { sync, source } = start();
    await until(isReady(sync, 1));
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    await source.ask([`who has <private>ulcers</private> and ${secret}`]);
    expect(api.texts.at(-1)).toBe('who has [private part left out] and [masked GITHUB_TOKEN]');
  });

  it('removes the vectors of deleted texts at the next start', async () => {
    const { conversations, start, add, files } = await openPlace();
    const doomed = await add('one', 'two');
    await add('two', 'three');
    const { sync } = start();
    await until(() => sync.progress.state === 'ready');
    await sync.close();
    const counts = () => files().map(countIn);
    expect(counts()).toEqual(['3']);
    await conversations.trash(doomed);
    const again = start();
    await until(() => counts().join() === '2');
    expect(again.sync.progress).toMatchObject({ state: 'ready', embedded: 2, passages: 2 });
  });

  it('are made in the background and say what is nearest, also for what comes later and goes', async () => {
    const { start, add, conversations } = await openPlace();
    const wall = await add('The bed is of larch.', 'Which tomatoes do we plant?');
    const { sync, source } = start();
    await until(isReady(sync, 2));
    const disk = await add('The disk of the server is full.');
    await conversations.append(wall, [{ role: 'user', content: 'Only after the frost.' }]);
    await until(isReady(sync, 4));
    const nearestTo = async (question: string) =>
      (await source.ask([question]))
        ?.nearest(1, () => true)
        .map(({ conversationId, seq }) => [conversationId, seq]);
    expect(await nearestTo('wood?')).toEqual([[wall, 1]]);
    expect(await nearestTo('is it going to rain?')).toEqual([[wall, 3]]);
    expect(await nearestTo('cpu load')).toEqual([[disk, 1]]);
    await conversations.trash(disk);
    expect(await nearestTo('cpu load')).not.toEqual([[disk, 1]]);
    const scores = await source.ask(['lettuce']);
    expect(scores?.best(wall, 2)?.cosine).toBeCloseTo(1, 2);
    expect(scores?.best(wall, 99)).toBeUndefined();
    const ofBoth = await source.ask(['wood', 'frost']);
    expect(ofBoth?.best(wall, 1)?.cosine).toBeCloseTo(Math.SQRT1_2, 1);
    expect(ofBoth?.best(wall, 3)?.cosine).toBeCloseTo(Math.SQRT1_2, 1);
    expect(scores?.nearest(9, ({ seq }) => seq === 3)).toHaveLength(1);
  });

  it('vectors are loaded after a restart; only new messages are sent', async () => {
    const { api, start, add } = await openPlace();
    await add(...Array.from({ length: 40 }, (_, n) => `Board ${n} is of larch.`));
    const first = start();
    await until(isReady(first.sync, 40));
    await first.sync.close();
    expect(api.texts).toHaveLength(40);
    await add('One more server.', 'Board 7 is of larch.');
    const second = start();
    await until(isReady(second.sync, 42));
    expect(api.texts).toHaveLength(41);
  });

  it('are read in slices', async () => {
    const { start, add } = await openPlace();
    await add(...Array.from({ length: 200 }, (_, n) => `Board ${n} is of larch.`));
    const first = start();
    await until(isReady(first.sync, 200));
    await first.sync.close();
    const yields = vi.spyOn(TimeSlice.prototype, 'yield');
    onTestFinished(() => yields.mockRestore());
    const { sync } = start('m1', tickingClock());
    await until(isReady(sync, 200));
    const [parsed, added] = [200 / STEPS_PER_SLICE, 200 / STEPS_PER_SLICE];
    expect(yields.mock.calls.length).toBeGreaterThanOrEqual(parsed + added);
  });

  it('are read before the conversations: none is missing while these are listed', async () => {
    const { start, add, conversations } = await openPlace();
    await add('The bed is of larch.');
    await add('Which tomatoes do we plant?');
    const first = start();
    await until(isReady(first.sync, 2));
    await first.sync.close();
    const load = conversations.load.bind(conversations);
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    vi.spyOn(conversations, 'load')
      .mockImplementationOnce(load)
      .mockImplementation(async (id) => {
        await gate;
        return load(id);
      });
    const { sync } = start();
    onTestFinished(() => goOn());
    await until(() => sync.progress.passages === 1);
    expect(sync.progress).toMatchObject({ state: 'starting', embedded: 1, passages: 1 });
    goOn();
    await until(isReady(sync, 2));
  });

  it('are written down where the process ends half-way', async () => {
    const { api, start, add } = await openPlace();
    await add(...Array.from({ length: 200 }, (_, n) => `Board ${n} is of larch.`));
    api.most = 32;
    const first = start();
    await until(() => first.sync.progress.embedded >= 32);
    await first.sync.close();
    expect(api.texts.length).toBeLessThan(200);
    api.most = Number.POSITIVE_INFINITY;
    const second = start();
    await until(isReady(second.sync, 200));
    expect(api.texts.length).toBeLessThanOrEqual(200 + 16);
  });

  it('of another model are never mixed in', async () => {
    const { api, start, add } = await openPlace();
    await add('The bed is of larch.');
    const first = start('m1');
    await until(isReady(first.sync, 1));
    await first.sync.close();
    const second = start('m2');
    await until(isReady(second.sync, 1));
    expect(api.texts).toHaveLength(2);
    await second.sync.close();
    const third = start('m1');
    await until(isReady(third.sync, 1));
    expect(api.texts).toHaveLength(2);
  });

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 3)],
    [
      'of another model',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace(' m1"', ' mX"'), 'latin1'),
    ],
    [
      'with a wrong bit',
      (bytes: Buffer) =>
        Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]),
    ],
    ['empty', () => Buffer.alloc(0)],
    [
      'encrypted with a lost key',
      () => Buffer.from(`daybook-sealed 1 0123456789abcdef\n${'x'.repeat(99)}`),
    ],
  ])('in a file that is %s are told and made anew', async (_, damage) => {
    const { api, start, add, files } = await openPlace();
    const id = await add('The bed is of larch.');
    const first = start();
    await until(isReady(first.sync, 1));
    await first.sync.close();
    const [file = ''] = files();
    writeFileSync(file, damage(readFileSync(file)));
    const second = start();
    await until(isReady(second.sync, 1));
    expect(second.sync.progress.damagedFiles).toBe(1);
    expect(api.texts).toHaveLength(2);
    expect((await second.source.ask(['wood']))?.best(id, 1)?.cosine).toBeGreaterThan(0.9);
  });

  it.each([
    'busy',
    'short',
  ] as const)('are absent, told why, while the server is %s', async (mood) => {
    const { api, start, add } = await openPlace();
    await add('The bed is of larch.');
    api.mood = mood;
    const { sync, source } = start();
    await until(() => sync.progress.state === 'failed');
    expect(sync.progress.error?.code).toBe('PROVIDER');
    expect(await source.ask(['wood'])).toBeUndefined();
  });

  it.each([
    ['Ollama', { status: 400, error: 'the input length exceeds the context length' }],
    [
      'OpenAI',
      {
        status: 400,
        error: { message: "Invalid 'input[0]': maximum input length is 8192 tokens." },
      },
    ],
    [
      'llama.cpp',
      { status: 500, error: { message: 'input (992 tokens) is too large to process' } },
    ],
    ['text-embeddings-inference', { status: 413, error: 'must have less than 512 tokens' }],
  ])('of a text that is too long for %s are made from its beginning', async (_, tooLong) => {
    const { api, start, add } = await openPlace();
    Object.assign(api, { longest: 60, tooLong });
    const id = await add('The disk is full.', `Board ${'x'.repeat(300)}`, 'Only after the frost.');
    const { sync, source } = start();
    await until(isReady(sync, 3));
    expect((await source.ask(['wood?']))?.best(id, 2)?.cosine).toBeGreaterThan(0.9);
    expect((await source.ask(['frost']))?.best(id, 3)?.cosine).toBeGreaterThan(0.9);
    const long = await source.ask([`Which ${'plant '.repeat(40)}`]);
    expect(long, 'a long question').toBeDefined();
  });

  it('are absent, told why, if the server refuses even short texts as too long', async () => {
    const { api, start, add } = await openPlace();
    api.longest = 2;
    await add('The bed is of larch.', 'The disk is full.');
    const { sync } = start();
    await until(() => sync.progress.state === 'failed');
    expect(sync.progress.error?.code).toBe('TOO_LARGE');
  });

  it.each([1e39, 1e-60])('are refused if a server has numbers of %s', async (factor) => {
    const { api, start, add, files } = await openPlace();
    api.factor = factor; // in 32 bits infinite, or zero
    await add('The bed is of larch.');
    const { sync } = start();
    await until(() => sync.progress.state === 'failed');
    expect([sync.progress.error?.code, files()]).toEqual(['PROVIDER', []]);
  });

  it('are of the text that a conversation got while it was first read', async () => {
    const { conversations, open, add } = await openPlace();
    const changed = await add('The bed is of larch.', 'The disk is full.');
    const removed = await add('Which tomatoes do we plant?');
    const user = (content: string) => ({ role: 'user', content }) as const;
    const load = conversations.load.bind(conversations);
    conversations.load = async (ref) => {
      const found = await load(ref);
      if (ref === changed) await conversations.append(changed, [user('Rain'), user('Frost')]);
      if (ref === removed) await conversations.removeIf(removed, () => true);
      return found;
    };
    const sync = open();
    await sync.load();
    expect(sync.progress.passages).toBe(4);
  });

  it('of one new message are made without a list of all keys', async () => {
    const { start, add } = await openPlace();
    await add('The bed is of larch.');
    const { sync } = start();
    const keys = vi.spyOn(PassageRows.prototype, 'keys');
    onTestFinished(() => keys.mockRestore());
    await until(() => keys.mock.calls.length === 1); // for the vectors of deleted texts
    await add('Which tomatoes do we plant?');
    await until(isReady(sync, 2));
    await sync.close();
    expect(keys).toHaveBeenCalledTimes(1);
  });

  it('are not looked up by a question, not even while some are missing', async () => {
    const { api, start, add } = await openPlace();
    const wall = await add('The bed is of larch.', 'Which tomatoes do we plant?');
    const { sync, source } = start();
    await until(isReady(sync, 2));
    api.mood = 'busy';
    await add('A board.', 'The disk of the server is full.');
    await until(() => sync.progress.state === 'failed');
    api.mood = 'well';
    const rowOf = vi.spyOn(VectorTable.prototype, 'rowOf');
    onTestFinished(() => rowOf.mockRestore());
    const scores = await source.ask(['wood?']);
    expect(scores?.nearest(9, () => true)).toHaveLength(2);
    expect(scores?.best(wall, 1)?.cosine).toBeGreaterThan(0.9);
    expect(rowOf).not.toHaveBeenCalled();
    expect(sync.progress).toMatchObject({ embedded: 2, passages: 4 });
  });

  it('of deleted texts are removed from the folders of all models, also if the server fails', async () => {
    const { api, conversations, start, add, files } = await openPlace();
    const doomed = await add('one', 'two');
    await add('two', 'three');
    for (const model of ['m1', 'm2']) {
      const { sync } = start(model);
      await until(isReady(sync, 4));
      await sync.close();
    }
    await conversations.trash(doomed);
    await add('four');
    api.mood = 'busy';
    const { sync } = start('m1');
    await until(() => sync.progress.state === 'failed');
    expect(files().map(countIn)).toEqual(['2', '2']);
  });

  it('are all made again if the model of this name makes longer ones now', async () => {
    const { api, start, add, files } = await openPlace();
    const wall = await add('The bed is of larch.', 'The disk is full.');
    const first = start();
    const other = start();
    await until(isReady(first.sync, 2));
    await until(isReady(other.sync, 2));
    api.width = 9;
    await add('Only after the frost.');
    await until(isReady(first.sync, 3));
    await until(isReady(other.sync, 3));
    for (const { source } of [first, other])
      expect((await source.ask(['wood?']))?.best(wall, 1)?.cosine).toBeGreaterThan(0.9);
    const widths = files().map((path) => /"width":(\d+)/.exec(readFileSync(path, 'latin1'))?.[1]);
    expect(new Set(widths)).toEqual(new Set(['9']));
    expect(api.texts.length).toBeLessThanOrEqual(2 + 4 + 2);
  });

  it('are not made again and again if the server changes their length each time', async () => {
    const { api, start, add } = await openPlace();
    await add('The bed is of larch.');
    const { sync } = start();
    await until(isReady(sync, 1));
    for (const width of [9, 12]) {
      api.width = width;
      await add(`Board ${width}`);
      await until(() => sync.progress.passages > 1 && sync.progress.state !== 'embedding');
    }
    expect(sync.progress.error?.code).toBe('PROVIDER');
    const sent = api.texts.length;
    await sleep(200);
    expect(api.texts).toHaveLength(sent);
  });

  it('made so far are kept if a stop comes while the server is silent', async () => {
    const { api, open, start, add } = await openPlace();
    await add(...Array.from({ length: 20 }, (_, n) => `Board ${n} is of larch.`));
    const stop = new AbortController();
    const ended = open().embedAll(() => {
      api.mood = 'silent';
      setTimeout(() => stop.abort(), 50);
    }, stop.signal);
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
    const done = api.texts.length;
    expect(done).toBeGreaterThan(0);
    api.mood = 'well';
    await until(isReady(start().sync, 20));
    expect(api.texts).toHaveLength(20);
  });

  it('of a text that was removed meanwhile are not written', async () => {
    const { api, conversations, start, add, files } = await openPlace();
    api.mood = 'silent';
    const doomed = await add('The disk is full.');
    await add('The bed is of larch.');
    const { sync } = start();
    await until(() => api.requests === 1);
    await conversations.trash(doomed);
    api.mood = 'well';
    await until(isReady(sync, 1));
    await sync.close();
    expect(files().map(countIn)).toEqual(['1']);
  });

  it('are made after the wait that the server asks for', async () => {
    const { api, start, add } = await openPlace();
    const clock = clockAhead();
    api.mood = 'limited';
    await add('The bed is of larch.');
    const { sync } = start('m1', clock);
    await until(() => sync.progress.state === 'failed');
    api.mood = 'well';
    clock.aheadMs += 1_800_000;
    await sleep(100);
    expect(api.requests).toBe(1);
    clock.aheadMs += 1_801_000;
    await until(isReady(sync, 1));
  });

  it('that the disk did not take are kept and written later, and others can make vectors', async () => {
    const { api, start, add } = await openPlace();
    const clock = clockAhead();
    await add('The bed is of larch.', 'The disk is full.');
    const write = VectorFiles.prototype.write;
    let isFull = true;
    const written = vi.spyOn(VectorFiles.prototype, 'write').mockImplementation(async function (
      this: VectorFiles,
      rows,
    ) {
      if (isFull && rows.length > 0) throw new AppError('STORAGE_FULL', 'The disk is full.');
      return write.call(this, rows);
    });
    onTestFinished(() => written.mockRestore());
    const { sync } = start('m1', clock);
    await until(() => sync.progress.state === 'failed');
    expect(sync.progress.error?.code).toBe('STORAGE_FULL');
    isFull = false;
    clock.aheadMs += 61_000;
    await until(isReady(sync, 2));
    await sync.close();
    await add('Only after the frost.');
    const next = start();
    await until(isReady(next.sync, 3));
    expect(api.texts).toHaveLength(3);
  });

  it('are made later if the store was away, and none is removed', async () => {
    const { api, start, add, files, conversations } = await openPlace();
    await add('The bed is of larch.');
    const first = start();
    await until(isReady(first.sync, 1));
    await first.sync.close();
    await add('Only after the frost.');
    const away = new AppError('STORAGE_UNAVAILABLE', 'away');
    const clock = clockAhead();
    for (const method of ['load', 'view'] as const) {
      const read = vi.spyOn(conversations, method).mockRejectedValue(away);
      onTestFinished(() => read.mockRestore());
      const { sync } = start('m1', clock);
      await until(() => sync.progress.state === 'failed');
      expect(sync.progress.error?.code).toBe('STORAGE_UNAVAILABLE');
      expect(files()).toHaveLength(1);
      if (method === 'load') await sync.close();
      read.mockRestore();
      clock.aheadMs += 61_000;
      if (method === 'view') await until(isReady(sync, 2));
    }
    expect(api.texts).toHaveLength(2);
  });

  it('are not counted for passages that wait for one vector together', async () => {
    const { api, start, add } = await openPlace();
    api.mood = 'busy';
    await add(...new Array<string>(5).fill('Thanks!'));
    const { sync } = start();
    await until(() => sync.progress.state === 'failed');
    expect(sync.progress).toMatchObject({ embedded: 0, passages: 5 });
  });

  it('are made by one of two processes, and used by both', async () => {
    const { api, start, add } = await openPlace();
    const id = await add(...Array.from({ length: 60 }, (_, n) => `Board ${n} is of larch.`));
    const [one, two] = [start(), start()];
    await until(isReady(one.sync, 60));
    await until(isReady(two.sync, 60));
    expect(api.texts).toHaveLength(60);
    for (const { source } of [one, two]) {
      const scores = await source.ask(['wood?']);
      for (let seq = 1; seq <= 60; seq += 1)
        expect(scores?.best(id, seq)?.cosine).toBeGreaterThan(0.9);
    }
  });
});

/** When summaries are made, stored, stale and made again, and what happens if a writer fails. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GracePeriod } from '../../../src/base/async/grace-period.js';
import { systemClock } from '../../../src/base/clock.js';
import { AppError } from '../../../src/base/errors.js';
import { type Log, silentLog } from '../../../src/base/log.js';
import { startAutoSummaries } from '../../../src/context/summaries/auto-summaries.js';
import {
  SummaryService,
  type SummaryWriter,
} from '../../../src/context/summaries/summary-service.js';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { messageHash } from '../../../src/stores/conversations/document/message-hash.js';
import { sourceHashOf } from '../../../src/stores/summaries/summary-file.js';
import { SummaryStore } from '../../../src/stores/summaries/summary-store.js';
import { errorOf } from '../../support/error-of.js';
import { tempFolder } from '../../support/temp-folder.js';

const TALK = [
  { role: 'user', content: 'I want to build a raised bed at the south wall.' },
  { role: 'assistant', content: 'You could use larch boards or bricks for the bed.' },
  { role: 'user', content: "We'll go with larch." },
] as const;

async function open(writer?: SummaryWriter) {
  const logsFolder = join(tempFolder(), 'logs');
  const conversations = await openConversationStore({ logsFolder, fsync: false, maxMessages: 100 });
  onTestFinished(() => conversations.close());
  const { conversationId: id } = await conversations.create({ messages: TALK });
  const store = new SummaryStore({ logsFolder, conversations, fsync: false });
  const clock = systemClock;
  const summaries = new SummaryService({
    conversations,
    store,
    clock,
    grace: new GracePeriod(),
    log: silentLog,
    ...(writer && { writer }),
  });
  const file = join(logsFolder, id, 'summaries.json');
  return { logsFolder, conversations, id, store, summaries, file, clock };
}

const byModel = (text: string | AppError, isReady = true): SummaryWriter => ({
  isReady: async () => isReady,
  async write() {
    if (text instanceof AppError) throw text;
    return { text, provider: 'here', model: 'small' };
  },
});

const asked = { usesModels: true };

const until = (holds: () => Promise<boolean>) => expect.poll(holds).toBe(true);

describe('a summary', () => {
  it('is made once and stored, and is made again after a new message', async () => {
    const { summaries, conversations, id, file } = await open();
    const first = await summaries.get(id, 'brief', asked);
    expect(first).toMatchObject({ isStale: false, isStored: true });
    expect(first.summary).toMatchObject({ provider: 'extractive', messageCount: 3 });
    const bytes = readFileSync(file, 'utf8');
    expect((await summaries.get(id, 'brief', asked)).summary).toEqual(first.summary);
    expect(readFileSync(file, 'utf8')).toBe(bytes);
    await conversations.append(id, [
      { role: 'user', content: 'Martin brings the larch boards on Saturday.' },
    ]);
    const second = await summaries.get(id, 'brief', asked);
    expect(second.summary?.messageCount).toBe(4);
    expect(second.summary?.text).toContain('Martin');
  });

  it('is not stored if a summarized message was changed while the model wrote', async () => {
    const place = await open({
      isReady: async () => true,
      async write({ conversationId, messages: [first] }) {
        if (first === undefined) throw new Error('no message');
        const hash = messageHash(first.content);
        await place.conversations.edits.update(conversationId, first.id, 'Forgotten.', hash);
        await place.conversations.append(conversationId, [{ role: 'user', content: 'More.' }]);
        return { text: 'A bed at the south wall.', provider: 'here', model: 'small' };
      },
    });
    const made = await place.summaries.get(place.id, 'brief', asked);
    expect(made).toMatchObject({ isStale: true, isStored: false, problem: { code: 'CONFLICT' } });
    expect(existsSync(place.file)).toBe(false);
  });

  it('is stored if only new messages were added while the model wrote', async () => {
    const place = await open({
      isReady: async () => true,
      async write({ conversationId }) {
        await place.conversations.append(conversationId, [{ role: 'user', content: 'More.' }]);
        return { text: 'A bed at the south wall.', provider: 'here', model: 'small' };
      },
    });
    expect(await place.summaries.get(place.id, 'brief', asked)).toMatchObject({
      isStale: true,
      isStored: true,
    });
  });

  it('has the ids of the first and the last message of its conversation', async () => {
    const { summaries, conversations, id } = await open();
    const { messages } = await conversations.load(id);
    expect((await summaries.get(id, 'standard', asked)).summary).toMatchObject({
      startMessageId: messages[0]?.id,
      endMessageId: messages[2]?.id,
    });
  });

  it('is absent for a conversation without messages', async () => {
    const { summaries, conversations } = await open();
    const { conversationId } = await conversations.create({});
    expect(await summaries.get(conversationId, 'brief', asked)).toEqual({
      isStale: true,
      isStored: false,
    });
  });

  it.each([
    ['without a model', undefined],
    ['with a model', byModel('A raised bed.')],
  ])('is absent after all messages were removed, %s', async (_, writer) => {
    const { summaries, conversations, id } = await open(writer);
    expect((await summaries.get(id, 'brief', asked)).summary?.text).toMatch(/bed/);
    for (const { id: messageId, content } of (await conversations.load(id)).messages)
      await conversations.edits.remove(id, messageId, messageHash(content));
    for (const usesModels of [true, false])
      expect(await summaries.get(id, 'brief', { usesModels })).not.toHaveProperty('summary');
  });

  it('is made if the file of summaries is damaged, and this file is not changed', async () => {
    const { summaries, id, file } = await open();
    writeFileSync(file, '{ broken');
    const answer = await summaries.get(id, 'brief', asked);
    expect(answer.summary?.text).toContain('larch');
    expect(answer.isStored).toBe(false);
    expect(answer.problem?.code).toBe('CORRUPT');
    expect(readFileSync(file, 'utf8')).toBe('{ broken');
  });

  it('is made without a model if the file of summaries is damaged', async () => {
    const { summaries, id, file } = await open(byModel('About a bed of larch.'));
    writeFileSync(file, '{ broken');
    for (const refresh of [false, true]) {
      const answer = await summaries.get(id, 'brief', { ...asked, refresh });
      expect(answer).toMatchObject({ summary: { provider: 'extractive' }, isStored: false });
      expect(answer.problem?.code).toBe('CORRUPT');
    }
  });

  it('of a conversation that does not exist is an error', async () => {
    const { summaries } = await open();
    const error = await errorOf(summaries.get('20200101-1577836800000', 'brief', asked));
    expect(error.code).toBe('CONVERSATION_NOT_FOUND');
  });
});

describe('a summary by a language model', () => {
  it('replaces an extractive summary, but only if the caller allows models', async () => {
    const { summaries, id } = await open(byModel('About a bed of larch.'));
    const plain = await summaries.get(id, 'brief', { usesModels: false });
    expect(plain.summary?.provider).toBe('extractive');
    const written = await summaries.get(id, 'brief', asked);
    expect(written.summary).toMatchObject({
      text: 'About a bed of larch.',
      provider: 'here',
      model: 'small',
    });
    expect((await summaries.get(id, 'brief', { usesModels: false })).summary?.provider).toBe(
      'here',
    );
  });

  it('is marked as stale after a new message if the model fails or must not be used', async () => {
    let now: string | AppError = 'About a bed of larch.';
    const writer: SummaryWriter = {
      isReady: async () => true,
      write: (...call) => byModel(now).write(...call),
    };
    const { summaries, conversations, id, file } = await open(writer);
    await summaries.get(id, 'brief', asked);
    const bytes = readFileSync(file, 'utf8');
    await conversations.append(id, [{ role: 'user', content: 'Martin brings the boards.' }]);
    now = new AppError('RATE_LIMITED', 'Too many.');
    for (const request of [asked, { usesModels: false }]) {
      const answer = await summaries.get(id, 'brief', request);
      expect(answer).toMatchObject({ isStale: true, isStored: true });
      expect(answer.summary?.text).toBe('About a bed of larch.');
      expect(answer.problem?.code).toBe(request.usesModels ? 'RATE_LIMITED' : undefined);
    }
    expect(readFileSync(file, 'utf8')).toBe(bytes);
  });

  it('that fails is replaced by an extractive summary, with the error', async () => {
    const { summaries, id } = await open(byModel(new AppError('TIMEOUT', 'Too slow.')));
    const answer = await summaries.get(id, 'brief', asked);
    expect(answer.summary?.provider).toBe('extractive');
    expect(answer.problem?.code).toBe('TIMEOUT');
  });

  it('that is cancelled is an error, without an extractive summary', async () => {
    const { summaries, id } = await open(byModel(new AppError('CANCELLED', 'Left.')));
    expect((await errorOf(summaries.get(id, 'brief', asked))).code).toBe('CANCELLED');
  });

  /** Its answers wait for `go`. */
  function slowWriter() {
    let go = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      go = resolve;
    });
    const calls: AbortSignal[] = [];
    const writer: SummaryWriter = {
      isReady: async () => true,
      async write(_conversation, _level, { signal = new AbortController().signal }) {
        calls.push(signal);
        await opened;
        if (signal.aborted) throw new AppError('CANCELLED', 'Left.');
        return { text: `Version ${calls.length} of the bed.`, provider: 'p', model: 'm' };
      },
    };
    return { writer, calls, go };
  }

  it.each([
    false,
    true,
  ])('is paid for once if several calls ask for it (refresh: %s)', async (refresh) => {
    const { writer, calls, go } = slowWriter();
    const { summaries, id } = await open(writer);
    const answers = [1, 2, 3].map(() => summaries.get(id, 'brief', { ...asked, refresh }));
    const other = summaries.get(id, 'standard', asked);
    await until(async () => calls.length === 2);
    go();
    const texts = (await Promise.all(answers)).map(({ summary }) => summary?.text);
    await other;
    expect(new Set(texts).size).toBe(1);
    expect(calls).toHaveLength(2);
  });

  it('is made for the other call if the first one is cancelled', async () => {
    const { writer, calls, go } = slowWriter();
    const { summaries, id } = await open(writer);
    const [first, waiting] = [new AbortController(), new AbortController()];
    const cancelled = errorOf(summaries.get(id, 'brief', { ...asked, signal: first.signal }));
    await until(async () => calls.length === 1);
    const left = summaries.get(id, 'brief', { ...asked, signal: waiting.signal });
    const second = summaries.get(id, 'brief', asked);
    waiting.abort(new AppError('CANCELLED', 'Left.'));
    expect((await errorOf(left)).code).toBe('CANCELLED');
    first.abort();
    go();
    expect((await cancelled).code).toBe('CANCELLED');
    expect((await second).summary?.provider).toBe('p');
    expect(calls).toHaveLength(2);
  });

  it.each([
    ['is cancelled', 'Version 2 of the bed.', undefined],
    ['fails', 'An earlier one.', 'TIMEOUT'],
  ])('is not the earlier one for the other call with refresh if the first one %s', async (how, text, problem) => {
    const { writer, calls, go } = slowWriter();
    const failing: SummaryWriter = {
      ...writer,
      write: async (...call) => {
        const answer = await writer.write(...call);
        if (problem === undefined) return answer;
        throw new AppError('TIMEOUT', 'Too slow.');
      },
    };
    const { conversations, summaries, id, store } = await open(failing);
    const sourceHash = sourceHashOf((await conversations.load(id)).messages);
    const made = { qualityScore: 1, messageCount: 3, generatedAt: '2025-01-01T00:00:00.000Z' };
    const earlier = { ...made, text: 'An earlier one.', provider: 'p', sourceHash };
    await store.put(id, 'brief', earlier);
    const [first, waiting] = [new AbortController(), new AbortController()];
    const again = { ...asked, refresh: true };
    const one = summaries.get(id, 'brief', { ...again, signal: first.signal });
    const ended = one.catch(() => undefined);
    await until(async () => calls.length === 1);
    const other = summaries.get(id, 'brief', again);
    const left = summaries.get(id, 'brief', { ...again, signal: waiting.signal });
    waiting.abort(new AppError('CANCELLED', 'Left.'));
    expect((await errorOf(left)).code).toBe('CANCELLED');
    if (how === 'is cancelled') first.abort();
    go();
    await ended;
    const answer = await other;
    expect(answer.summary?.text).toBe(text);
    expect(answer.problem?.code).toBe(problem);
    expect(calls).toHaveLength(problem === undefined ? 2 : 1);
  });

  it('that could not be stored is stored at the next call, without another request', async () => {
    let count = 0;
    const { summaries, id, file } = await open({
      isReady: async () => true,
      write: async () => ({ text: `Version ${++count}.`, provider: 'p', model: 'm' }),
    });
    const lock = join(file, '..', '..', '.locks');
    rmSync(lock, { recursive: true, force: true });
    writeFileSync(lock, 'not a folder');
    for (let calls = 0; calls < 2; calls += 1) {
      expect(await summaries.get(id, 'brief', asked)).toMatchObject({
        summary: { text: 'Version 1.' },
        isStale: false,
        isStored: false,
      });
    }
    rmSync(lock);
    const answer = await summaries.get(id, 'brief', asked);
    expect(answer).toMatchObject({ summary: { text: 'Version 1.' }, isStored: true });
    expect(answer.problem).toBeUndefined();
    expect(count).toBe(1);
  });

  it('is made again if the caller asks for it', async () => {
    let count = 0;
    const { summaries, id } = await open({
      isReady: async () => true,
      write: async () => ({ text: `Version ${++count}.`, provider: 'p', model: 'm' }),
    });
    await summaries.get(id, 'brief', asked);
    const again = await summaries.get(id, 'brief', { ...asked, refresh: true });
    expect(again.summary?.text).toBe('Version 2.');
  });
});

describe('summaries in the background', () => {
  const inBackground = ({
    logsFolder,
    conversations,
    summaries,
    store,
    clock,
    log = silentLog,
    pauseMs = 50,
  }: Awaited<ReturnType<typeof open>> & { log?: Log; pauseMs?: number }) => {
    const leasePath = join(logsFolder, '.leases', 'summaries');
    const times = { quietMs: 50, pollIntervalMs: 20, pauseMs };
    const auto = startAutoSummaries({
      conversations,
      summaries,
      store,
      leasePath,
      clock,
      log,
      ...times,
    });
    onTestFinished(() => auto.close());
  };

  it('are made for all conversations, and again some time after a conversation changed', async () => {
    const opened = await open();
    const { conversations, store, id } = opened;
    inBackground(opened);
    const countOf = async (conversationId: string) =>
      (await store.get(conversationId)).standard?.messageCount;
    await until(async () => (await countOf(id)) === 3);
    await conversations.append(id, [{ role: 'user', content: 'Martin brings the boards.' }]);
    const { conversationId: other } = await conversations.create({ messages: TALK });
    await until(async () => (await countOf(id)) === 4);
    await until(async () => (await countOf(other)) === 3);
    expect((await store.get(id)).brief?.messageCount).toBe(4);
  });

  it('are made for the other conversations if one cannot be read any more', async () => {
    const opened = await open();
    const { conversations, store, id, logsFolder } = opened;
    const { conversationId: other } = await conversations.create({ messages: TALK });
    inBackground({ ...opened, pauseMs: 1_000_000 });
    await until(async () => (await store.get(other)).standard !== undefined);
    await until(async () => (await store.get(id)).standard !== undefined);
    for (const each of [id, other])
      await conversations.append(each, [{ role: 'user', content: 'Martin brings the boards.' }]);
    writeFileSync(join(logsFolder, id, 'conversation.json'), '{ "messages": [');
    await until(async () => (await store.get(other)).standard?.messageCount === 4);
  });

  it('do not ask a model again for an unchanged conversation when a server starts', async () => {
    const { summaries: before, id, logsFolder, store, clock } = await open();
    for (const level of ['brief', 'standard'] as const) await before.get(id, level, asked);
    const conversations = await openConversationStore({
      logsFolder,
      fsync: false,
      maxMessages: 100,
    });
    onTestFinished(() => conversations.close());
    const writer = byModel('About a bed of larch.');
    const grace = new GracePeriod();
    const log = silentLog;
    const summaries = new SummaryService({ conversations, store, writer, grace, clock, log });
    inBackground({ logsFolder, conversations, summaries, store, clock, id, file: '' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { conversationId: next } = await conversations.create({ messages: TALK });
    await until(async () => (await store.get(next)).standard?.provider === 'here');
    expect((await store.get(id)).brief?.provider).toBe('extractive');
  });

  it('are made again after a refusal that looks final, after those that did not fail', async () => {
    const refused = new AppError('NOT_CONFIGURED', 'Wrong key.', {
      details: { outcome: 'refused' },
    });
    let ms = 0;
    const tried: string[] = [];
    const opened = await open({
      isReady: async () => true,
      write: (...call) => {
        tried.push(call[0].conversationId);
        return byModel(tried.length === 1 ? refused : 'About a bed of larch.').write(...call);
      },
    });
    const { conversations, store, id, clock } = opened;
    let failures = 0;
    const warn = () => {
      failures += 1;
    };
    inBackground({
      ...opened,
      clock: { ...clock, monotonic: () => ms },
      log: { ...silentLog, warn },
    });
    await until(async () => {
      ms += failures === 0 ? 20 : 0;
      return failures > 0;
    });
    const { conversationId: next } = await conversations.create({ messages: TALK });
    ms += 100;
    for (const each of [next, id]) {
      await until(async () => (await store.get(each)).standard?.provider === 'here');
    }
    expect(tried).toEqual([id, next, next, id, id]);
  });

  it('are made without a pause after a failure that another server has remembered', async () => {
    const details = { outcome: 'unknown', isRemembered: true };
    const remembered = new AppError('PROVIDER', 'It failed.', { details });
    const opened = await open({
      isReady: async () => true,
      write: (...call) => {
        const { conversationId } = call[0];
        return byModel(conversationId === opened.id ? remembered : 'A bed.').write(...call);
      },
    });
    const { conversations, store, id } = opened;
    inBackground({ ...opened, pauseMs: 3_600_000 });
    await until(async () => (await store.get(id)).standard?.provider === 'extractive');
    const { conversationId: next } = await conversations.create({ messages: TALK });
    await until(async () => (await store.get(next)).standard?.provider === 'here');
  });

  it.each([
    ['not_sent', 'here'],
    ['refused', 'here'],
    ['unknown', 'extractive'],
  ])('after a failed request with the outcome %s come from %s', async (outcome, provider) => {
    const failure = new AppError('PROVIDER', 'It failed.', { details: { outcome } });
    let calls = 0;
    const opened = await open({
      isReady: async () => true,
      write: (...call) => {
        calls += 1;
        return byModel(calls === 1 ? failure : 'About a bed of larch.').write(...call);
      },
    });
    const { conversations, store, id } = opened;
    inBackground(opened);
    await until(async () => (await store.get(id)).brief?.provider === provider);
    const { conversationId: next } = await conversations.create({ messages: TALK });
    await until(async () => (await store.get(next)).standard?.provider === 'here');
    expect((await store.get(id)).brief?.provider).toBe(provider);
  });
});

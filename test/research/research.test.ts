/** Searches and follow-ups on both backends: what is stored, what is sent, and what a failure changes. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServerEndError } from '../../src/base/async/server-end.js';
import { AppError } from '../../src/base/errors.js';
import type { Research } from '../../src/research/research.js';
import { errorOf } from '../support/error-of.js';
import { type Bench, eventually, FAST, openBench, question } from '../support/research-bench.js';

const BACKENDS = ['agent', 'chat-completions'] as const;
let bench: Bench;
let research: Research;
afterEach(() => bench.close());

/** The turns of the last request, in the format of either backend. */
const sentTurns = () => {
  const body = bench.api.created().at(-1) ?? {};
  const turns = (body['input'] ?? body['messages']) as { role: string; content: string }[];
  return turns.filter(({ role }) => role !== 'system').map(({ role, content }) => [role, content]);
};
const sentSystem = () => {
  const body = bench.api.created().at(-1) ?? {};
  const messages = body['messages'] as { role: string; content: string }[] | undefined;
  return messages
    ? messages
        .filter((m) => m.role === 'system')
        .map((m) => m.content)
        .join('\n\n')
    : body['instructions'];
};
const storedTurns = async (id: string) =>
  (await bench.store.load(id)).messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => [role, content]);

describe.each(BACKENDS)('research with the backend %s', (backend) => {
  beforeEach(async () => {
    bench = await openBench(backend);
    research = bench.service();
  });

  it('stores a search as three messages, with the details of the answer as metadata', async () => {
    const result = await research.search(question('What is MCP?\nIn short.'));
    expect(result).toMatchObject({
      status: 'completed',
      saved: true,
      isFollowup: false,
      kind: 'search',
    });
    const conversation = await bench.store.load(result.conversationId ?? '');
    expect(conversation.title).toBe('What is MCP? In short.');
    expect(conversation.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(conversation.messages[1]?.content).toBe('What is MCP?\nIn short.');
    expect(conversation.messages[2]?.metadata).toMatchObject({
      provider: 'perplexity',
      backend,
      kind: 'search',
      responseId: 'resp_1',
      model: result.answer?.model,
      usage: { inputTokens: 120, totalTokens: 200 },
      cost: { currency: 'USD', total: 0.013 },
      sources: [{ id: 1, url: 'https://example.org/a' }, { id: 2 }],
    });
    expect(sentSystem()).toBe(conversation.messages[0]?.content);
  });

  it('sends the whole history in order, of searches and of deep research', async () => {
    const { conversationId: id = '' } = await research.search(question('one'));
    await research.searchFollowup(id, question('two'));
    await research.deepResearchFollowup(id, question('three'));
    const history = await storedTurns(id);
    expect(history).toHaveLength(6);
    await research.searchFollowup(id, question('four'));
    expect(sentTurns()).toEqual([...history, ['user', 'four']]);
    expect(sentSystem()).toBe((await bench.store.load(id)).messages[0]?.content);

    const { conversationId: deep = '' } = await research.deepResearch(question('deep one'));
    const report = await storedTurns(deep);
    await research.searchFollowup(deep, question('deep two'));
    expect(sentTurns()).toEqual([...report, ['user', 'deep two']]);
    expect(bench.api.creates).toBe(6);
  });

  it('joins and completes turns in the request, and does not change the stored messages', async () => {
    const { head } = await bench.store.append(
      'my-chat',
      [
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'system', content: 'Late rule' },
        { role: 'assistant', content: '  ' },
        { role: 'user', content: 'c' },
      ],
      { create: true },
    );
    const { conversationId } = head;
    const before = await bench.store.load(conversationId);
    await research.searchFollowup('my-chat', question('d'));
    expect(sentTurns()).toEqual([
      ['user', '(The assistant speaks first.)'],
      ['assistant', 'Hello'],
      ['user', 'a\n\nb\n\nc\n\nd'],
    ]);
    expect(sentSystem()).toBe('Late rule');
    const after = await bench.store.load(conversationId);
    expect(after.messages.slice(0, 6)).toEqual(before.messages);
    expect(after.messages.slice(6).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'd'],
      ['assistant', expect.any(String)],
    ]);
  });

  it.each([
    [404, 'PERPLEXITY_BASE_URL'],
    [500, 'Call again later.'],
  ])('answers the status %i of the API with its own hint', async (status, hint) => {
    bench.api.next({ on: 'create', kind: 'status', status, body: {} });
    const error = await errorOf(research.search(question('one')));
    expect([error.code, error.hint]).toEqual(['PROVIDER', expect.stringContaining(hint)]);
  });

  it.each([
    ['RATE_LIMITED', 429],
    ['PROVIDER', 500],
    ['PROVIDER', 400],
    ['NOT_CONFIGURED', 401],
  ] as const)('changes no file if the API answers with an error: %s, status %i', async (code, status) => {
    const { conversationId: id = '' } = await research.search(question('one'));
    const files = await bench.files();
    for (const call of [
      () => research.searchFollowup(id, question('two')),
      () => research.search(question('new')),
    ]) {
      bench.api.next({ on: 'create', kind: 'status', status, body: {} });
      expect((await errorOf(call())).code).toBe(code);
      expect(await bench.files()).toEqual(files);
    }
    expect(bench.api.creates).toBe(1);
  });

  it('changes no file if the connection breaks', async () => {
    const { conversationId: id = '' } = await research.search(question('one'));
    const files = await bench.files();
    bench.api.next({ on: 'create', kind: 'drop', afterAccept: true });
    expect((await errorOf(research.searchFollowup(id, question('two')))).code).toBe('PROVIDER');
    expect(await bench.files()).toEqual(files);
    expect(bench.api.created()).toHaveLength(2);
  });

  it('stores the answer that arrives soon after the server began to end', async () => {
    const { conversationId: id = '' } = await research.search(question('one'));
    const abort = new AbortController();
    const { signal } = abort;
    const until = sleep(500);
    bench.api.next({ on: 'create', kind: 'held', until });
    const call = research.searchFollowup(id, question('two'), { signal });
    await eventually(() => expect(bench.api.created()).toHaveLength(2));
    abort.abort(new ServerEndError());
    expect(await call).toMatchObject({ saved: true, answer: { responseId: 'resp_2' } });
    expect((await errorOf(research.search(question('three'), { signal }))).code).toBe('CANCELLED');
    expect(bench.api.created()).toHaveLength(2);
  });

  it('refuses an empty answer', async () => {
    bench.api.reply = () => ({ text: ' ' });
    expect((await errorOf(research.search(question('one')))).code).toBe('PROVIDER');
    expect(Object.keys(await bench.files()).length).toBe(0);
  });

  it('returns an answer that could not be stored, because it was paid for', async () => {
    bench.faults.conversations = new AppError('STORAGE_FULL', 'The disk is full.');
    const fresh = await research.search(question('one'));
    expect(fresh).toMatchObject({
      saved: false,
      notSavedReason: 'The disk is full.',
      status: 'completed',
    });
    expect(fresh.answer?.text).toContain('one');
    expect(fresh).not.toHaveProperty('conversationId');
    bench.faults.conversations = undefined;
    const { conversationId: id = '' } = await research.search(question('two'));
    bench.faults.conversations = new AppError('LOCKED', 'Busy.');
    const next = await research.searchFollowup(id, question('three'));
    expect(next).toMatchObject({
      saved: false,
      conversationId: id,
      answer: { responseId: 'resp_3' },
    });
  });

  it('checks limits, arguments and ids before it sends a request that costs money', async () => {
    const { conversationId: id = '' } = await research.search(question('one'));
    const small = bench.service({ maxMessages: 4 });
    const full = bench.service({
      requireRoom: () => Promise.reject(new AppError('STORAGE_FULL', 'Full.')),
    });
    const wrong = question('two', { filters: { recency: 'day', after: '2025-01-01' } });
    const refusals = [
      [() => small.searchFollowup(id, question('x')), 'CONVERSATION_FULL'],
      [() => small.deepResearchFollowup(id, question('x')), 'CONVERSATION_FULL'],
      [() => full.search(question('x')), 'STORAGE_FULL'],
      [() => full.searchFollowup(id, question('x')), 'STORAGE_FULL'],
      [() => full.deepResearch(question('x')), 'STORAGE_FULL'],
      [() => research.search(wrong), 'VALIDATION_ERROR'],
      [() => research.deepResearch(wrong), 'VALIDATION_ERROR'],
      [() => research.deepResearchFollowup(id, wrong), 'VALIDATION_ERROR'],
      [
        () => research.searchFollowup('20240101-1704067200000', question('x')),
        'CONVERSATION_NOT_FOUND',
      ],
      [() => research.searchFollowup('../x', question('x')), 'VALIDATION_ERROR'],
    ] as const;
    for (const [call, code] of refusals) expect((await errorOf(call())).code).toBe(code);
    expect(bench.api.received).toHaveLength(1);
    expect(Object.keys(await bench.files())).toEqual([join(bench.folder, id, 'conversation.json')]);
    expect([await bench.jobCount(), (await bench.leases()).length]).toEqual([0, 0]);
  });

  it('returns the reasoning only if the caller asks for it, and never stores it', async () => {
    bench.api.reply = () => ({ text: 'Yes.', thinking: 'Let me see' });
    const hidden = await research.search(question('one'));
    expect(hidden.answer).not.toHaveProperty('thinking');
    expect(hidden.notes).toEqual([]);
    const shown = await research.search(question('one', { showThinking: true }));
    if (backend === 'agent') expect(shown.notes.join()).toContain('has no effect');
    else expect(shown.answer?.thinking).toBe('Let me see');
    expect(Object.values(await bench.files()).join()).not.toContain('Let me see');
  });

  it('adds a note if related questions were requested and none were returned', async () => {
    const result = await research.search(question('one', { relatedQuestions: true }));
    expect(result.notes).toHaveLength(1);
  });
});

describe('research without a key', () => {
  it('fails with NOT_CONFIGURED, and the history can still be read', async () => {
    bench = await openBench();
    const { conversationId: id = '' } = await bench.service().search(question('one'));
    const keyless = bench.service({ perplexity: undefined });
    for (const call of [
      keyless.search(question('x')),
      keyless.deepResearch(question('x')),
      keyless.searchFollowup(id, question('x')),
      keyless.deepResearchFollowup(id, question('x')),
    ]) {
      expect((await errorOf(call)).code).toBe('NOT_CONFIGURED');
    }
    expect((await keyless.history(id)).conversationId).toBe(id);
    await keyless.resume();
    expect(Object.keys(await bench.files()).length).toBe(1);
  });
});

describe('research with a retired endpoint', () => {
  it('fails with PROVIDER_RETIRED and changes no file', async () => {
    bench = await openBench('chat-completions', { gateway: false });
    research = bench.service();
    expect((await errorOf(research.search(question('x')))).code).toBe('PROVIDER_RETIRED');
    expect((await errorOf(research.deepResearch(question('x')))).code).toBe('PROVIDER_RETIRED');
    expect([Object.keys(await bench.files()).length, await bench.jobCount()]).toEqual([0, 0]);
  });
});

describe('the progress of a deep research', () => {
  it('is reported while a call waits for the answer', async () => {
    bench = await openBench('agent', { pollsUntilDone: 8 });
    const seen: { progress: number; message: string }[] = [];
    await bench.service({ timing: FAST }).deepResearch(question('x'), {
      progress: (report) => void seen.push(report),
    });
    expect(seen.length).toBeGreaterThan(1);
    const numbers = seen.map(({ progress }) => progress);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    // The message changes with the state of the run: sent, then queued or researching.
    const activities = seen.map(({ message }) => message.replace(/, \d+ s$/, ''));
    expect(new Set(activities).size).toBeGreaterThan(1);
  });
});

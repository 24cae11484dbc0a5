/**
 * Deep research in the background: a run continues after its call and its process have ended, is never
 * created twice, and its answer is stored once. `creates` counts the runs that Perplexity would bill.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { silentLog } from '../../src/base/log.js';
import type { Research } from '../../src/research/research.js';
import type { ResearchJob } from '../../src/stores/research-jobs/research-job-schema.js';
import { errorOf } from '../support/error-of.js';
import {
  type Bench,
  eventually,
  gate,
  NEVER_ANSWERED,
  openBench,
  question,
} from '../support/research-bench.js';

let bench: Bench;
let research: Research;
const NEVER = 1_000_000;

beforeEach(async () => {
  bench = await openBench();
  research = bench.service();
});
afterEach(() => bench.close());

/** Waits only until the question is sent, or not even for that. */
const impatient = (sendingMs = 60_000) => bench.service({ timing: { waitMs: 0, sendingMs } });
const roles = async (id: string) => (await bench.store.load(id)).messages.map(({ role }) => role);
const COMPLETE = ['system', 'user', 'assistant'];

const job = (change: Partial<ResearchJob> = {}): ResearchJob => ({
  formatVersion: 1,
  state: 'creating',
  query: 'lost?',
  backend: 'agent',
  startedAt: new Date().toISOString(),
  updatedAt: new Date().toISOString(),
  relatedQuestions: false,
  showThinking: false,
  notes: [],
  startsConversation: false,
  ...change,
});

describe('a run of a deep research', () => {
  it('is on disk before the request, and its id is on disk before the first poll', async () => {
    const result = await research.deepResearch(question('why?'));
    expect(result).toMatchObject({ status: 'completed', saved: true });
    expect(bench.written.slice(0, 2)).toEqual(['creating', 'running resp_1']);
    expect(await roles(result.conversationId ?? '')).toEqual(COMPLETE);
    expect([await bench.jobCount(), (await bench.leases()).length]).toEqual([0, 0]);
  });

  it('continues after the call has returned in_progress; history returns the answer', async () => {
    bench.api.pollsUntilDone = NEVER;
    const service = impatient();
    const early = await service.deepResearch(question('why?'));
    const id = early.conversationId ?? '';
    expect(early).toMatchObject({ status: 'in_progress', saved: false });
    expect(await roles(id)).toEqual(['system']);
    // The question was sent before the call returned, although the call does not wait for the answer.
    expect((await service.history(id)).run).toMatchObject({
      state: 'in_progress',
      query: 'why?',
      runId: 'resp_1',
    });
    const { startedAt } = (await service.history(id)).run ?? {};
    bench.api.pollsUntilDone = 0;
    await eventually(async () => expect((await service.history(id)).run).toBeUndefined());
    expect(await roles(id)).toEqual(COMPLETE);
    expect((await bench.store.load(id)).messages[1]?.createdAt).toBe(startedAt);
    expect(bench.api.creates).toBe(1);
  });

  it('continues if the waiting call is cancelled', async () => {
    bench.api.pollsUntilDone = NEVER;
    const abort = new AbortController();
    const waiting = errorOf(research.deepResearch(question('why?'), { signal: abort.signal }));
    await eventually(() => expect(bench.api.creates).toBe(1));
    abort.abort();
    const error = await waiting;
    expect([error.code, error.details?.['runState']]).toEqual(['CANCELLED', 'in_progress']);
    bench.api.pollsUntilDone = 0;
    const id = String(error.details?.['conversationId']);
    await eventually(async () => expect(await roles(id)).toEqual(COMPLETE));
    expect(bench.api.creates).toBe(1);
  });

  it('is waited for by a call with the same question if no other waits, and is paid for once', async () => {
    const { opened, open } = gate();
    bench.api.next({ on: 'create', kind: 'held', until: opened });
    const abort = new AbortController();
    const left = errorOf(research.deepResearch(question('x'), { signal: abort.signal }));
    await eventually(() => expect(bench.api.creates).toBe(1));
    abort.abort();
    expect((await left).code).toBe('CANCELLED');
    const again = research.deepResearch(question('x'));
    const other = research.deepResearch(question('y'));
    open();
    expect(await again).toMatchObject({ saved: true, answer: { responseId: 'resp_1' } });
    expect(await other).toMatchObject({ saved: true, answer: { responseId: 'resp_2' } });
    expect((await research.deepResearch(question('x'))).answer?.responseId).toBe('resp_3');
    expect(bench.api.creates).toBe(3);
  });

  it('is not started by a call that is already cancelled', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    const signal = AbortSignal.abort();
    expect((await errorOf(research.deepResearch(question('y'), { signal }))).code).toBe(
      'CANCELLED',
    );
    const followup = research.deepResearchFollowup(id, question('y'), { signal });
    expect((await errorOf(followup)).code).toBe('CANCELLED');
    expect([Object.keys(await bench.files()).length, bench.api.creates]).toEqual([1, 1]);
  });

  it('lets a follow-up fail with CONFLICT until it ends, in this process and in another', async () => {
    bench.api.pollsUntilDone = NEVER;
    const { conversationId: id = '' } = await impatient().deepResearch(question('why?'));
    for (const service of [research, bench.service()]) {
      expect((await errorOf(service.searchFollowup(id, question('x')))).code).toBe('CONFLICT');
      const force = question('x', { discardLostRun: true });
      expect((await errorOf(service.deepResearchFollowup(id, force))).code).toBe('CONFLICT');
    }
    await eventually(() => expect(bench.api.creates).toBe(1));
  });

  it('is started by only one of two simultaneous deep follow-ups', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    const results = await Promise.allSettled([
      research.deepResearchFollowup(id, question('a')),
      bench.service().deepResearchFollowup(id, question('b')),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(bench.api.creates).toBe(2);
  });
});

describe('a run after a restart of the server', () => {
  it('is continued, and its answer is stored once without a second create', async () => {
    bench.api.pollsUntilDone = NEVER;
    const first = impatient();
    const { conversationId: id = '' } = await first.deepResearch(question('why?'));
    await first.close();
    expect((await bench.leases()).length).toBe(0);
    bench.api.pollsUntilDone = 0;
    const [second, third] = [bench.service(), bench.service()];
    await Promise.all([second.resume(), third.resume()]);
    await eventually(async () => expect(await bench.jobCount()).toBe(0));
    expect(await roles(id)).toEqual(COMPLETE);
    expect((await bench.store.load(id)).messages[1]?.content).toBe('why?');
    expect(bench.api.creates).toBe(1);
  });

  it('was left by the old server without a warning in the log', async () => {
    bench.api.pollsUntilDone = NEVER;
    const warnings: unknown[] = [];
    const warn = (...line: unknown[]) => void warnings.push(line);
    const log = { ...silentLog, warn, error: warn };
    const service = bench.service({ log, timing: { waitMs: 0 } });
    await service.deepResearch(question('why?'));
    await service.close();
    expect(warnings).toEqual([]);
  });

  it('is not stored twice if its answer was stored and its record was not yet removed', async () => {
    const { conversationId: id = '' } = await research.deepResearch(question('why?'));
    await bench.jobs.put(id, job({ state: 'running', runId: 'resp_1', query: 'why?' }));
    await bench.service().resume();
    await eventually(async () => expect(await bench.jobCount()).toBe(0));
    expect(await roles(id)).toEqual(COMPLETE);
  });

  it('is also continued by a call that reads the history', async () => {
    bench.api.pollsUntilDone = NEVER;
    const first = impatient();
    const { conversationId: id = '' } = await first.deepResearch(question('why?'));
    await first.close();
    bench.api.pollsUntilDone = 0;
    const { run } = await bench.service().history(id);
    const conversation = await bench.store.load(id);
    expect([run, conversation.messages.length]).toEqual([undefined, 3]);
  });

  it('is not continued if another living process follows it', async () => {
    bench.api.pollsUntilDone = NEVER;
    const { conversationId: id = '' } = await impatient().deepResearch(question('why?'));
    const polls = bench.api.received.length;
    const other = bench.service({}, { baseUrl: 'http://127.0.0.1:9' });
    await other.resume();
    expect((await other.history(id)).run).toMatchObject({ state: 'in_progress' });
    await eventually(() => expect(bench.api.received.length).toBeGreaterThan(polls));
  });

  it('is unknown after a crash during its create, and only a user can discard it', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    await bench.jobs.put(id, job());
    const service = bench.service();
    await service.resume();
    expect((await service.history(id)).run).toMatchObject({ state: 'unknown', query: 'lost?' });
    expect((await errorOf(service.searchFollowup(id, question('y')))).code).toBe('CONFLICT');
    expect((await errorOf(service.deepResearchFollowup(id, question('y')))).code).toBe('CONFLICT');
    expect(bench.api.creates).toBe(1);
    const go = question('y', { discardLostRun: true });
    expect(await service.searchFollowup(id, go)).toMatchObject({ saved: true });
    expect(await bench.jobCount()).toBe(0);
    await bench.jobs.put(id, job({ state: 'unknown' }));
    expect(await service.deepResearchFollowup(id, go)).toMatchObject({ saved: true });
    expect(await roles(id)).toHaveLength(7);
    expect((await service.history(id)).run).toBeUndefined();
  });
});

describe('the request that creates a run', () => {
  it.each([
    ['the connection breaks', { on: 'create', kind: 'drop', afterAccept: true }],
    ['a gateway times out', { on: 'create', kind: 'status', status: 504, body: '<html>' }],
    ['the answer is no JSON', { on: 'create', kind: 'status', status: 200, body: 'ok' }],
    [
      'the answer has no id',
      { on: 'create', kind: 'status', status: 200, body: { status: 'queued' } },
    ],
  ] as const)('is never repeated if its outcome is unknown because %s', async (_name, behaviour) => {
    const { conversationId: id = '' } = await research.search(question('x'));
    const before = await bench.text(id);
    bench.api.next(behaviour);
    const error = await errorOf(research.deepResearchFollowup(id, question('why?')));
    expect([error.code, error.retryable, error.details?.['runState']]).toEqual([
      'CONFLICT',
      false,
      'unknown',
    ]);
    expect(await bench.text(id)).toBe(before);
    await bench.service().resume();
    expect((await research.history(id)).run).toMatchObject({ state: 'unknown', query: 'why?' });
    expect(bench.api.created()).toHaveLength(2);
  });

  it('has an unknown outcome if it times out', async () => {
    bench.api.next({ on: 'create', kind: 'held', until: NEVER_ANSWERED });
    // Long enough for the request to arrive on a busy machine.
    const error = await errorOf(
      bench.service({}, { startTimeoutMs: 1_000 }).deepResearch(question('x')),
    );
    expect(error.code).toBe('CONFLICT');
    expect([bench.api.creates, await bench.jobCount()]).toEqual([1, 1]);
  });

  it.each([
    [429, 'RATE_LIMITED'],
    [400, 'PROVIDER'],
    [401, 'NOT_CONFIGURED'],
  ] as const)('leaves no file if it is refused with %i', async (status, code) => {
    bench.api.next({
      on: 'create',
      kind: 'status',
      status,
      headers: { 'retry-after': '3' },
      body: {},
    });
    expect((await errorOf(research.deepResearch(question('x')))).code).toBe(code);
    expect([
      Object.keys(await bench.files()).length,
      await bench.jobCount(),
      (await bench.leases()).length,
    ]).toEqual([0, 0, 0]);
    const { conversationId: id = '' } = await research.search(question('y'));
    const before = await bench.text(id);
    bench.api.next({ on: 'create', kind: 'status', status, body: {} });
    expect((await errorOf(research.deepResearchFollowup(id, question('z')))).code).toBe(code);
    expect([await bench.text(id), await bench.jobCount()]).toEqual([before, 0]);
  });

  it('is not sent if its record cannot be written', async () => {
    bench.faults.jobs = new AppError('STORAGE_FULL', 'Full.');
    expect((await errorOf(research.deepResearch(question('x')))).code).toBe('STORAGE_FULL');
    expect([
      bench.api.received.length,
      Object.keys(await bench.files()).length,
      (await bench.leases()).length,
    ]).toEqual([0, 0, 0]);
  });

  it('is completed while the server ends, and the id of the run is stored', async () => {
    const { opened, open } = gate();
    bench.api.next({ on: 'create', kind: 'held', until: opened });
    const service = impatient(0);
    const { conversationId: id = '' } = await service.deepResearch(question('x'));
    await eventually(() => expect(bench.api.creates).toBe(1));
    expect(bench.written).toEqual(['creating']);
    const closed = service.close();
    open();
    await closed;
    expect(await bench.jobs.get(id)).toMatchObject({ state: 'running', runId: 'resp_1' });
  });
});

describe('the polling of a run', () => {
  it('continues after the status 429 or 503 and after broken connections', async () => {
    bench.api.next({
      on: 'poll',
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '0.02' },
      body: {},
    });
    for (let i = 0; i < 4; i += 1) {
      bench.api.next({ on: 'poll', kind: 'drop', afterAccept: false });
      bench.api.next({ on: 'poll', kind: 'status', status: 503, body: '<html>' });
    }
    expect(await research.deepResearch(question('x'))).toMatchObject({ saved: true });
    expect(bench.api.creates).toBe(1);
  });

  it('follows a run whose state is new, because the run is paid for', async () => {
    bench.api.next({ on: 'create', kind: 'ends', status: 'starting', message: '' });
    bench.api.next({
      on: 'poll',
      kind: 'status',
      status: 200,
      body: { id: 'resp_1', status: 'x' },
    });
    const { conversationId: id = '' } = await impatient().deepResearch(question('x'));
    await eventually(() => expect(bench.api.creates).toBe(1));
    await eventually(async () =>
      expect((await research.history(id)).run).toMatchObject({
        state: 'in_progress',
        runId: 'resp_1',
      }),
    );
    Object.assign(bench.api.runs.get('resp_1') ?? {}, { status: 'completed' });
    await eventually(async () => expect((await research.history(id)).run).toBeUndefined());
    expect((await bench.store.load(id)).messages).toHaveLength(3);
    expect(bench.api.creates).toBe(1);
  });

  it('reports a failed run, and the next question can be asked', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    const before = await bench.text(id);
    bench.api.next({ on: 'create', kind: 'ends', status: 'failed', message: 'overloaded' });
    const error = await errorOf(research.deepResearchFollowup(id, question('y')));
    expect([error.code, error.details?.['runState']]).toEqual(['PROVIDER', 'failed']);
    expect(await bench.text(id)).toBe(before);
    expect((await research.history(id)).run).toMatchObject({ state: 'failed', query: 'y' });
    expect(await research.searchFollowup(id, question('z'))).toMatchObject({ saved: true });
    expect((await research.history(id)).run).toBeUndefined();
  });

  it('reports a run as failed if another program cancelled it or its answer is empty', async () => {
    bench.api.pollsUntilDone = NEVER;
    const { conversationId: id = '' } = await impatient().deepResearch(question('x'));
    await eventually(() => expect(bench.api.creates).toBe(1));
    await fetch(`${bench.api.url}/v1/agent/resp_1/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bench.api.key}` },
    });
    await eventually(async () => expect((await research.history(id)).run?.state).toBe('failed'));
    bench.api.pollsUntilDone = 0;
    bench.api.reply = () => ({ text: '' });
    expect((await errorOf(research.deepResearch(question('y')))).details?.['runState']).toBe(
      'failed',
    );
  });

  it('stops after the maximum time, and a later call still finds the answer', async () => {
    bench.api.pollsUntilDone = NEVER;
    const short = bench.service({ timing: { maxRunMs: 40 } });
    const error = await errorOf(short.deepResearch(question('x')));
    expect([error.code, error.details?.['runState']]).toEqual(['CONFLICT', 'unknown']);
    bench.api.pollsUntilDone = 0;
    const { run, conversationId } = await short.history(String(error.details?.['conversationId']));
    const conversation = await bench.store.load(conversationId);
    expect([run, conversation.messages.length]).toEqual([undefined, 3]);
  });

  it('reports a run as unknown if the API does not know it, but not if the key is wrong', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    await bench.jobs.put(id, job({ state: 'running', runId: 'resp_77' }));
    expect((await research.history(id)).run).toMatchObject({ state: 'unknown', runId: 'resp_77' });
    const other = await bench.store.create({ messages: [{ role: 'system', content: 's' }] });
    await bench.jobs.put(other.conversationId, job({ state: 'running', runId: 'resp_1' }));
    const wrongKey = bench.service({}, { apiKey: 'pplx-some-other-key' });
    const { run } = await wrongKey.history(other.conversationId);
    expect(run).toMatchObject({ state: 'in_progress', reason: expect.stringContaining('key') });
    const history = await research.history(other.conversationId);
    const conversation = await bench.store.load(other.conversationId);
    expect([conversation.messages.length, 'run' in history]).toEqual([3, false]);
  });

  it('stops if the lease of the run is lost, and the next process stores the answer', async () => {
    bench.api.pollsUntilDone = NEVER;
    const { conversationId: id = '' } = await impatient().deepResearch(question('x'));
    await eventually(async () => expect((await bench.jobs.get(id))?.runId).toBe('resp_1'));
    bench.faults.leasesLost = true;
    await eventually(async () => expect(await bench.leases()).toEqual([]));
    bench.faults.leasesLost = false;
    bench.api.pollsUntilDone = 0;
    await bench.service().resume();
    await eventually(async () => expect(await roles(id)).toEqual(COMPLETE));
    expect(bench.api.creates).toBe(1);
  });

  it('sends no request for a run of the other backend', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    await bench.jobs.put(
      id,
      job({ state: 'running', runId: 'gen-1', backend: 'chat-completions' }),
    );
    expect((await research.history(id)).run).toMatchObject({ state: 'in_progress' });
    expect(bench.api.received).toHaveLength(1);
  });
});

describe('an answer that cannot be stored', () => {
  it('is returned, and is stored as soon as the store can be written', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    bench.faults.conversations = new AppError('STORAGE_FULL', 'Full.');
    const result = await research.deepResearchFollowup(id, question('y'));
    expect(result).toMatchObject({ status: 'completed', saved: false, notSavedReason: 'Full.' });
    expect((await research.history(id)).run).toMatchObject({
      state: 'unsaved',
      answer: result.answer?.text,
    });
    expect((await errorOf(research.searchFollowup(id, question('z')))).code).toBe('CONFLICT');
    bench.faults.conversations = undefined;
    const { run } = await research.history(id);
    const conversation = await bench.store.load(id);
    expect([run, conversation.messages.length, bench.api.creates]).toEqual([undefined, 5, 2]);
  });

  it('is returned if the record of the run cannot be read, until another process stores it', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    bench.faults.conversations = new AppError('STORAGE_UNAVAILABLE', 'Away.');
    const { answer } = await research.deepResearchFollowup(id, question('y'));
    const record = await bench.jobs.get(id);
    await bench.jobs.remove(id);
    const { run } = await research.history(id);
    expect(run).toMatchObject({ state: 'unsaved', answer: answer?.text });
    if (record !== undefined) await bench.jobs.put(id, record);
    bench.faults.conversations = undefined;
    await bench.service().history(id);
    expect(await bench.jobs.get(id)).toBeUndefined();
    expect((await research.history(id)).run).toBeUndefined();
  });

  it('is fetched again and stored by the next process', async () => {
    bench.api.pollsUntilDone = NEVER;
    const first = impatient();
    const { conversationId: id = '' } = await first.deepResearch(question('y'));
    bench.faults.conversations = new AppError('STORAGE_FULL', 'Full.');
    bench.api.pollsUntilDone = 0;
    await eventually(async () => expect((await first.history(id)).run?.state).toBe('unsaved'));
    await first.close();
    bench.faults.conversations = undefined;
    await bench.service().history(id);
    const conversation = await bench.store.load(id);
    expect([conversation.messages.length, bench.api.creates]).toEqual([3, 1]);
  });

  it('is not lost if only the record of its run cannot be written', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    const { opened, open } = gate();
    bench.api.next({ on: 'create', kind: 'held', until: opened });
    const call = research.deepResearchFollowup(id, question('y'));
    await eventually(() => expect(bench.api.creates).toBe(2));
    bench.faults.jobs = new AppError('STORAGE_FULL', 'Full.');
    open();
    expect(await call).toMatchObject({ saved: true });
  });
});

describe('a damaged record of a run', () => {
  it('is kept, the conversation can be read, and no new run is started', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    await bench.setJobText(id, '{"state":');
    const { run } = await research.history(id);
    const conversation = await bench.store.load(id);
    expect([run?.state, conversation.messages.length]).toEqual(['unknown', 3]);
    expect((await errorOf(research.deepResearchFollowup(id, question('y')))).code).toBe('CORRUPT');
    expect([bench.api.creates, await bench.jobText(id)]).toEqual([1, '{"state":']);
  });

  it('is reported if its time is none, and the run is not followed for ever', async () => {
    const { conversationId: id = '' } = await research.search(question('x'));
    const record = job({ state: 'running', runId: 'resp_1', startedAt: 'yesterday' });
    await bench.setJobText(id, JSON.stringify(record));
    expect((await errorOf(bench.jobs.get(id))).code).toBe('CORRUPT');
    expect((await research.history(id)).run).toMatchObject({ state: 'unknown' });
    expect(await bench.leases()).toEqual([]);
  });

  it('is followed no longer than other runs if its time is in the future', async () => {
    bench.api.pollsUntilDone = NEVER;
    const first = impatient();
    const { conversationId: id = '' } = await first.deepResearch(question('x'));
    await first.close();
    const record = { ...(await bench.jobs.get(id)), startedAt: '2999-01-01T00:00:00.000Z' };
    await bench.setJobText(id, JSON.stringify(record));
    await bench.service({ timing: { maxRunMs: 100 } }).resume();
    await eventually(async () => {
      expect(JSON.parse(await bench.jobText(id))).toMatchObject({ state: 'unknown' });
    });
  });
});

describe('a run of the backend chat-completions, which has no background runs', () => {
  beforeEach(async () => {
    await bench.close();
    bench = await openBench('chat-completions');
    research = bench.service();
  });

  it('continues in this process after the call has returned', async () => {
    const { opened, open } = gate();
    bench.api.next({ on: 'create', kind: 'held', until: opened });
    const service = impatient(0);
    const { conversationId: id = '', status } = await service.deepResearch(question('why?'));
    expect(status).toBe('in_progress');
    const other = bench.service();
    await other.resume();
    expect((await other.history(id)).run).toMatchObject({ state: 'in_progress' });
    open();
    await eventually(async () => expect(await bench.jobCount()).toBe(0));
    expect([await roles(id), bench.api.creates]).toEqual([COMPLETE, 1]);
  });

  it('leaves the record of a run that another process began when this process was paused', async () => {
    const { opened, open } = gate();
    bench.api.next({ on: 'create', kind: 'held', until: opened });
    const { conversationId: id = '' } = await impatient(0).deepResearch(question('why?'));
    await eventually(() => expect(bench.api.creates).toBe(1));
    await bench.jobs.put(id, job({ query: 'next?' }));
    open();
    await eventually(async () => expect(await roles(id)).toEqual(COMPLETE));
    await eventually(async () => expect(await bench.leases()).toEqual([]));
    expect(await bench.jobCount()).toBe(1);
  });

  it('has its own answer although the gateway gives all answers the same id', async () => {
    for (const content of ['First.', 'Second.']) {
      const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content } }];
      const body = { id: 'chatcmpl-0', choices };
      bench.api.next({ on: 'create', kind: 'status', status: 200, body });
    }
    const { conversationId: id = '' } = await research.deepResearch(question('one'));
    expect(await research.deepResearchFollowup(id, question('two'))).toMatchObject({ saved: true });
    const { messages } = await bench.store.load(id);
    expect(messages.map(({ content }) => content).slice(1)).toEqual([
      'one',
      'First.',
      'two',
      'Second.',
    ]);
  });

  it('has an unknown outcome if the process ends before the answer', async () => {
    bench.api.next({ on: 'create', kind: 'held', until: NEVER_ANSWERED });
    const service = impatient(0);
    const { conversationId: id = '' } = await service.deepResearch(question('why?'));
    await eventually(() => expect(bench.api.creates).toBe(1));
    await service.close();
    const next = bench.service();
    await next.resume();
    expect((await next.history(id)).run).toMatchObject({ state: 'unknown' });
    expect(bench.api.creates).toBe(1);
  });
});

/** Searches whose caller cancels: the request was paid for, so its answer is stored. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServerEndError } from '../../src/base/async/server-end.js';
import { AppError } from '../../src/base/errors.js';
import type { Research } from '../../src/research/research.js';
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
beforeEach(async () => {
  bench = await openBench();
  research = bench.service();
});
afterEach(() => bench.close());

/** Asks, and cancels the call when Perplexity has the question. `open` lets the answer arrive. */
async function cancelled(ask: (signal: AbortSignal) => Promise<unknown>) {
  const abort = new AbortController();
  const { opened, open } = gate();
  const sent = bench.api.creates;
  bench.api.next({ on: 'create', kind: 'held', until: opened });
  const error = errorOf(ask(abort.signal));
  await eventually(() => expect(bench.api.creates).toBe(sent + 1));
  abort.abort();
  expect((await error).code).toBe('CANCELLED');
  return open;
}
const turnsOf = async (id: string) =>
  (await bench.store.load(id)).messages
    .filter(({ role }) => role !== 'system')
    .map(({ content }) => content);
const ids = async () => (await bench.store.list()).map((head) => head.conversationId);

describe('a search that its caller cancels', () => {
  it.each([
    'agent',
    'chat-completions',
  ] as const)('is stored when the answer arrives, as a conversation or in it (%s)', async (backend) => {
    await bench.close();
    bench = await openBench(backend);
    research = bench.service();
    const open = await cancelled((signal) => research.search(question('one'), { signal }));
    expect(await ids()).toEqual([]);
    open();
    await eventually(async () => expect(await ids()).toHaveLength(1));
    const [id = ''] = await ids();
    expect(await turnsOf(id)).toEqual(['one', 'Answer 1 to: one [1]']);
    const openNext = await cancelled((signal) =>
      research.searchFollowup(id, question('two'), { signal }),
    );
    openNext();
    await eventually(async () => expect(await turnsOf(id)).toHaveLength(4));
    expect((await turnsOf(id)).slice(2)).toEqual(['two', 'Answer 2 to: two [1]']);
    expect(bench.api.creates).toBe(2);
  });

  it('answers the same question without a second payment while it runs', async () => {
    const open = await cancelled((signal) => research.search(question('one'), { signal }));
    const again = research.search(question('one'));
    const other = await research.search(question('two'));
    expect(other.answer?.responseId).toBe('resp_2');
    open();
    expect(await again).toMatchObject({ saved: true, answer: { responseId: 'resp_1' } });
    expect(bench.api.creates).toBe(2);
    // A question to which no request is running is sent.
    expect((await research.search(question('one'))).answer?.responseId).toBe('resp_3');
    expect(await ids()).toHaveLength(3);
  });

  it('can be cancelled again by the call that has taken it over', async () => {
    const open = await cancelled((signal) => research.search(question('one'), { signal }));
    const abort = new AbortController();
    const error = errorOf(research.search(question('one'), { signal: abort.signal }));
    abort.abort();
    expect((await error).code).toBe('CANCELLED');
    open();
    await eventually(async () => expect(await ids()).toHaveLength(1));
    expect(bench.api.creates).toBe(1);
  });

  it('is stored later if the store is locked when the answer arrives', async () => {
    const open = await cancelled((signal) => research.search(question('one'), { signal }));
    let asked = 0;
    const get = () => {
      asked += 1;
      return asked > 6 ? undefined : new AppError('LOCKED', 'Busy.');
    };
    Object.defineProperty(bench.faults, 'conversations', { get });
    open();
    await eventually(async () => expect(await ids()).toHaveLength(1));
  });

  it('is not sent if it was cancelled before', async () => {
    const { opened, open } = gate();
    const maskValue = async <T>(value: T) => opened.then(() => ({ value, masked: [] }));
    const slow = bench.service({ masker: { isCleanValue: () => false, maskValue } });
    const abort = new AbortController();
    const error = errorOf(slow.search(question('one'), { signal: abort.signal }));
    abort.abort();
    open();
    expect((await error).code).toBe('CANCELLED');
    await slow.close();
    expect(bench.api.received).toEqual([]);
  });

  it('is stored if the server ends meanwhile, at the latest after the grace period', async () => {
    const open = await cancelled((signal) => research.search(question('one'), { signal }));
    const closed = research.close();
    open();
    await closed;
    expect(await ids()).toHaveLength(1);

    research = bench.service({}, {}, 20);
    const late = await cancelled((signal) => research.search(question('two'), { signal }));
    await research.close();
    late();
    expect(await ids()).toHaveLength(1);
  });

  it('and one that a call waits for have the same grace period at the end of the server', async () => {
    research = bench.service({}, {}, 50);
    await cancelled((signal) => research.search(question('one'), { signal }));
    const abort = new AbortController();
    bench.api.next({ on: 'create', kind: 'held', until: NEVER_ANSWERED });
    const waiting = errorOf(research.search(question('two'), { signal: abort.signal }));
    await eventually(() => expect(bench.api.creates).toBe(2));
    abort.abort(new ServerEndError());
    expect((await waiting).code).toBe('CANCELLED');
    await research.close();
    expect(await ids()).toEqual([]);
  });
});

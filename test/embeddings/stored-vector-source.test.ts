/** A question whose vector does not come in time: the search uses words, and the next ones do not wait. */
import { expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { silentLog } from '../../src/base/log.js';
import { createVectorSource } from '../../src/embeddings/stored-vector-source.js';

/** A model that never answers: it only ends when it is cancelled. */
function hangingModel() {
  let asked = 0;
  const ask = (_variants: readonly string[], signal?: AbortSignal) => {
    asked += 1;
    return new Promise<undefined>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new AppError('CANCELLED', 'cancelled')));
    });
  };
  return { model: 'm', load: async () => undefined, ask, count: () => asked };
}

it('uses words if the model does not answer, and asks it again after a rest', async () => {
  const model = hangingModel();
  const time = { ms: 0 };
  const clock = { now: () => 0, monotonic: () => time.ms };
  const source = createVectorSource(model, { log: silentLog, clock, answerWithinMs: 20 });
  expect(await source.ask(['a question'])).toBeUndefined();
  expect(await source.ask(['a question'])).toBeUndefined();
  expect(model.count()).toBe(1);
  time.ms = 60_000;
  expect(await source.ask(['a question'])).toBeUndefined();
  expect(model.count()).toBe(2);
});

it('ends with CANCELLED if its caller cancels', async () => {
  const source = createVectorSource(hangingModel(), { log: silentLog, answerWithinMs: 10_000 });
  const caller = new AbortController();
  const asking = source.ask(['a question'], caller.signal);
  caller.abort();
  await expect(asking).rejects.toMatchObject({ code: 'CANCELLED' });
});

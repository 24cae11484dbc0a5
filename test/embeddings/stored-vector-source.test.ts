/** A question whose vector does not come in time: the search uses words, and the next ones do not wait. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { sleep } from '../../src/base/clock.js';
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

// On Node 20, a signal of AbortSignal.timeout is lost with the garbage if only AbortSignal.any uses it.
it('uses words after the time limit also if garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const model = hangingModel();
  let isHanging = false;
  const ask: typeof model.ask = (...question) =>
    isHanging ? model.ask(...question) : Promise.resolve(undefined);
  const source = createVectorSource({ ...model, ask }, { log: silentLog, answerWithinMs: 1_000 });
  const { signal } = new AbortController();
  // V8 keeps all local variables of a function until it has optimized the function.
  for (let count = 0; count < 20_000; count += 1) await source.ask(['a question'], signal);
  isHanging = true;
  const asking = source.ask(['a question'], signal);
  for (let round = 0; round < 10; round += 1) {
    await sleep(5);
    collectGarbage();
  }
  expect(await asking).toBeUndefined();
});

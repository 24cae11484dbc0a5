/** The queue of waiting writes, without files: the order of attempts, and what the user is told. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { createLog } from '../../src/base/log.js';
import { fileError } from '../../src/files/file-errors.js';
import { Retry } from '../../src/stores/deferred-writes/retry.js';
import { WriteQueue } from '../../src/stores/deferred-writes/write-queue.js';
import { errorOf } from '../support/error-of.js';

const PATH = '/store/conversation.json';
const ofTheDisk = (errno: string) =>
  fileError(Object.assign(new Error(), { code: errno }), 'write', PATH);

function makeQueue(isHere: () => boolean = () => true) {
  const presence = {
    isHere,
    require: () => undefined,
    error: () => new AppError('STORAGE_UNAVAILABLE', 'away'),
  };
  return new WriteQueue({
    presence: presence as never,
    log: createLog('silent'),
    clock: { now: () => 0 } as never,
    probe: () => Promise.reject(ofTheDisk('EROFS')),
  });
}

/** Adds a write that fails with `error`, or is done if it is absent. */
function addTo(queue: WriteQueue, done: string[], name: string, error?: AppError) {
  const write = () => (error ? Promise.reject(error) : Promise.resolve(void done.push(name)));
  queue.add({ name, bytes: 1, write, ended: () => undefined });
}

describe('a full disk', () => {
  it('keeps the order of the writes while the server runs', async () => {
    const queue = makeQueue();
    const done: string[] = [];
    addTo(queue, done, 'long', ofTheDisk('ENOSPC'));
    addTo(queue, done, 'short');
    expect(await queue.settle()).toBe(false);
    expect(done).toEqual([]);
    await queue.close();
  });

  it('loses only writes that do not fit at the end', async () => {
    const queue = makeQueue();
    const done: string[] = [];
    addTo(queue, done, 'first');
    addTo(queue, done, 'long', ofTheDisk('ENOSPC'));
    addTo(queue, done, 'short');
    await queue.close();
    expect(done).toEqual(['first', 'short']);
    expect(queue.unwritten()).toEqual([{ name: 'long' }]);
  });
});

describe('a call during the last attempts', () => {
  it('does not start the attempts a second time, so each write is done once', async () => {
    const queue = makeQueue();
    const done: string[] = [];
    let attempts = 0;
    let calling: Promise<unknown> = Promise.resolve();
    const write = async () => {
      attempts += 1;
      if (attempts === 1) throw ofTheDisk('ENOSPC');
      if (attempts === 2) {
        const now = async () => void done.push('third');
        calling = queue.run(now, async () => addTo(queue, done, 'third'));
        await new Promise((resolve) => setImmediate(resolve));
      }
      done.push('first');
    };
    queue.add({ name: 'first', bytes: 1, write, ended: () => undefined });
    addTo(queue, done, 'second');
    await queue.close();
    await calling;
    expect(done).toEqual(['first', 'second', 'third']);
    expect(queue.unwritten()).toEqual([]);
  });
});

describe('a store that goes away again while memory is compared with it', () => {
  it('is compared again when it is back', async () => {
    let isHere = false;
    const seen: string[] = [];
    const queue = makeQueue(() => isHere);
    queue.whenBack(async () => {
      seen.push('compared');
      if (seen.length > 1) return;
      isHere = false;
      queue.noticeAway();
    });
    queue.noticeAway();
    isHere = true;
    expect(await queue.settle()).toBe(false);
    isHere = true;
    expect(await queue.settle()).toBe(true);
    expect(seen).toEqual(['compared', 'compared']);
    await queue.close();
  });
});

describe('a part of the store that cannot be read when the store is back', () => {
  it('does not stop the waiting writes, and is read later', async () => {
    const queue = makeQueue();
    const done: string[] = [];
    let error: AppError | undefined = ofTheDisk('EACCES');
    queue.whenBack(async () => {
      if (error) throw error;
      done.push('insights');
    });
    queue.whenBack(async () => void done.push('notes'));
    queue.noticeAway();
    addTo(queue, done, 'message');
    expect(await queue.settle()).toBe(true);
    expect(done).toEqual(['notes', 'message']);
    error = undefined;
    await queue.settle();
    expect(done).toEqual(['notes', 'message', 'insights', 'notes']);
    await queue.close();
  });
});

describe('a retry', () => {
  it('makes another attempt if it was started again during one', async () => {
    let attempts = 0;
    const second = await new Promise<number>((resolve) => {
      const retry = new Retry(async () => {
        attempts += 1;
        if (attempts === 1) retry.start();
        else resolve(attempts);
        return true;
      });
      retry.start();
      setTimeout(() => resolve(attempts), 2_000);
    });
    expect(second).toBe(2);
  });
});

describe('the hint for a person', () => {
  const advice = async (error: AppError) => {
    const queue = makeQueue();
    const later = () => Promise.resolve(addTo(queue, [], 'a', error));
    await queue.run(() => Promise.reject(error), later);
    const { hint } = await errorOf(queue.requireSettled());
    const answer = { told: queue.state()?.whatToDo, hint };
    await queue.close();
    return answer;
  };

  it('fits the error, and does not ask to repeat a write that waits', async () => {
    const full = await advice(ofTheDisk('ENOSPC'));
    const readOnly = await advice(ofTheDisk('EROFS'));
    const away = await advice(new AppError('STORAGE_UNAVAILABLE', 'away'));
    expect(full.told).toMatch(/space/);
    expect(readOnly.told).toMatch(/read-only/);
    expect(away.told).toMatch(/connect or mount/);
    for (const { told, hint } of [full, readOnly, away]) {
      expect(hint).toBe(told);
      expect(told).not.toMatch(/call again|Nothing was changed/);
    }
  });
});

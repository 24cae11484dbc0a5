/** A lock that a call leaves to the next call of its process: when it is kept, and when it is released. */
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withLock } from '../../src/files/locks/file-lock.js';
import { releaseLeftLocks } from '../../src/files/locks/lock-handoff.js';
import { tempFolder } from '../support/temp-folder.js';

const durability = { fsync: true };

// The time of a lock that was left passes only as the tests say: on a busy machine a write takes longer.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function storeWithLock() {
  const root = tempFolder();
  const locks = join(root, '.locks');
  const owners = (): string[] => readdirSync(join(locks, 'x'));
  const isFree = () => readdirSync(locks).length === 0;
  /** Writes `text` as the last step under the lock. Returns the owner of the lock before that. */
  const write = (text: string) =>
    withLock(locks, 'x', async (lock) => {
      const [owner] = owners();
      await lock.replace(join(root, 'target'), Buffer.from(text), durability, { isLast: true });
      return owner;
    });
  /** After two writes in a row, the lock is left to the third. Returns its owner. */
  const writeTwice = async () => {
    await write('1');
    expect(isFree()).toBe(true);
    const owner = await write('2');
    expect(owners()).toEqual([owner]);
    return owner;
  };
  const target = () => readFileSync(join(root, 'target'), 'utf8');
  return { locks, owners, isFree, write, writeTwice, target };
}

it('is left to the next call from the second of two calls in a row on', async () => {
  const { owners, write, writeTwice, target } = storeWithLock();
  const owner = await writeTwice();
  expect([await write('3'), await write('4')]).toEqual([owner, owner]);
  expect([target(), owners()]).toEqual(['4', [owner]]);
});

it('is released after a moment if no call follows', async () => {
  const { isFree, write, writeTwice } = storeWithLock();
  const owner = await writeTwice();
  vi.advanceTimersByTime(40);
  expect(isFree()).toBe(false);
  vi.advanceTimersByTime(10);
  await expect.poll(isFree).toBe(true);
  expect(await write('3')).not.toBe(owner);
  expect(isFree()).toBe(true);
});

it('is released when the store is closed', async () => {
  const { locks, isFree, writeTwice } = storeWithLock();
  await writeTwice();
  await releaseLeftLocks(locks);
  expect(isFree()).toBe(true);
});

it('is released when the store is closed while its time ends', async () => {
  const { locks, isFree, writeTwice } = storeWithLock();
  mkdirSync(join(locks, 'x', String(await writeTwice()), 'wanted')); // its release takes longer
  vi.advanceTimersByTime(50);
  await releaseLeftLocks(locks);
  expect(isFree()).toBe(true);
});

it('is released if another process waits at the end of the next call', async () => {
  const { locks, isFree, write, writeTwice } = storeWithLock();
  mkdirSync(join(locks, 'x', String(await writeTwice()), 'wanted'));
  await write('3');
  expect(isFree()).toBe(true);
});

it('is released before its time ends if another process waits', async () => {
  const { locks, isFree, writeTwice } = storeWithLock();
  mkdirSync(join(locks, 'x', String(await writeTwice()), 'wanted'));
  vi.advanceTimersByTime(10); // no later timer runs
  await expect.poll(isFree).toBe(true);
});

it('is released if the work fails', async () => {
  const { locks, isFree, writeTwice } = storeWithLock();
  await writeTwice();
  const failing = withLock(locks, 'x', () => Promise.reject(new Error('of the work')));
  await expect(failing).rejects.toThrow('of the work');
  expect(isFree()).toBe(true);
});

it('is acquired again if another process took it over meanwhile', async () => {
  const { locks, owners, write, writeTwice, target } = storeWithLock();
  const first = String(await writeTwice());
  renameSync(join(locks, 'x', first), join(locks, 'x.dead.test'));
  const second = await write('3');
  expect(second).not.toBe(first);
  expect([target(), owners()]).toEqual(['3', [second]]);
});

it('is acquired again if the folder of the locks was replaced meanwhile', async () => {
  const { locks, owners, write, writeTwice, target } = storeWithLock();
  const first = await writeTwice();
  renameSync(locks, `${locks}-aside`);
  mkdirSync(locks);
  const second = await write('3');
  expect(second).not.toBe(first);
  expect([target(), owners()]).toEqual(['3', [second]]);
  expect(readdirSync(`${locks}-aside`)).toEqual([]);
});

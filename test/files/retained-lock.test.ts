/**
 * The retained lock: uses run one after the other under one lock, which is handed over to a waiting process,
 * released when idle, and acquired again if it was lost.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { RetainedLock } from '../../src/files/locks/retained-lock.js';
import { Child } from '../support/child.js';
import { tempFolder } from '../support/temp-folder.js';

function openLock() {
  const root = tempFolder();
  const folder = join(root, 'conversation-logs', '.locks');
  const lock = new RetainedLock(folder, 'some');
  onTestFinished(() => lock.close());
  return { root, folder, path: join(folder, 'some'), lock };
}

const ownersOf = (path: string) => (existsSync(path) ? readdirSync(path) : []);

describe('RetainedLock', () => {
  it('runs uses in their order, under the same lock', async () => {
    const { lock, path } = openLock();
    const order: number[] = [];
    const owners = new Set<string>();
    const use = (n: number) =>
      lock.run(async (held) => {
        expect(held.isOurs()).toBe(true);
        await sleep(n % 3);
        order.push(n);
        for (const owner of ownersOf(path)) owners.add(owner);
        return n * 2;
      });
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => use(n)));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(results).toEqual(order.map((n) => n * 2));
    expect(owners.size).toBe(1);
  });

  it('reports a failure only to the caller of that use', async () => {
    const { lock } = openLock();
    const fails = lock.run(() => Promise.reject(new Error('mine')));
    const works = lock.run(() => Promise.resolve('fine'));
    await expect(fails).rejects.toThrow('mine');
    expect(await works).toBe('fine');
  });

  it('releases the lock when it is idle, and at once when it is closed', async () => {
    const { lock, path } = openLock();
    await lock.run(() => Promise.resolve());
    expect(ownersOf(path)).toHaveLength(1);
    await expect.poll(() => ownersOf(path)).toEqual([]);
    await lock.run(() => Promise.resolve());
    await lock.close();
    expect(ownersOf(path)).toEqual([]);
  });

  it('runs the work of a retained lock again from its start if the lock was lost', async () => {
    const { lock, path, root } = openLock();
    const target = join(root, 'target');
    let runs = 0;
    await lock.run(async (held) => {
      runs += 1;
      if (runs === 1) rmSync(path, { recursive: true });
      expect(held.isOurs()).toBe(runs > 1);
      await held.replace(target, Buffer.from(`run ${runs}`), { fsync: false });
    });
    expect(readFileSync(target, 'utf8')).toBe('run 2');
  });

  it('keeps a file under a second name, and moves a staged file into place', async () => {
    const { lock, root } = openLock();
    const [old, second, staged] = ['old', 'second', 'staged'].map((name) => join(root, name));
    writeFileSync(String(old), 'old');
    writeFileSync(String(staged), 'new');
    await lock.run(async (held) => {
      await held.link(join(root, 'none'), String(second), { fsync: true });
      expect(existsSync(String(second))).toBe(false);
      for (let turn = 0; turn < 2; turn += 1) {
        await held.link(String(old), String(second), { fsync: true });
      }
      await held.replaceByFile(String(staged), String(old), { fsync: true });
    });
    expect(readFileSync(String(old), 'utf8')).toBe('new');
    expect(readFileSync(String(second), 'utf8')).toBe('old');
    expect(existsSync(String(staged))).toBe(false);
  });

  it('is shared fairly with a process that acquires it again for each use', async () => {
    const { lock, root } = openLock();
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'counter'), '0');
    const child = new Child('contender', { root });
    await child.next();
    let uses = 0;
    let isOver = false;
    const busy = (async () => {
      while (!isOver) {
        await lock.run(async () => {
          uses += 1;
        });
      }
    })();
    for (let turn = 0; turn < 5; turn += 1) {
      const before = uses;
      child.send({ name: 'some' });
      expect((await child.next<{ wasAlone: boolean }>()).wasAlone).toBe(true);
      // The busy process gets the lock back after every turn of the other one.
      while (uses === before) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    isOver = true;
    await busy;
    expect(readFileSync(join(root, 'counter'), 'utf8')).toBe('5');
    expect(uses).toBeGreaterThanOrEqual(5);
    await child.stop();
  });
});

/**
 * The write lock within one process and between two: one owner at a time, order, waiting processes get their
 * turn, and no files are left. (test/crash has crashes, stopped processes and failing calls.)
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { withLock } from '../../src/files/locks/file-lock.js';
import { sweepLocks } from '../../src/files/locks/leftover-locks.js';
import { isSurelyDead, ownerName } from '../../src/files/locks/process-identity.js';
import { errorOf } from '../support/error-of.js';
import { type FsCall, tapFs } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';

const ROOT = resolve(import.meta.dirname, '../..');
const durability = { fsync: false };

function otherProcess(...args: string[]) {
  const script = join(ROOT, 'test/support/lock-user.mjs');
  const child = spawn(process.execPath, [script, join(ROOT, 'dist'), ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, nextLine: async () => String((await lines.next()).value) };
}

const ended = (child: ChildProcessWithoutNullStreams) =>
  new Promise<number | null>((done) => child.once('exit', done));

/** A name of a process of this machine that has ended. */
async function deadName(): Promise<string> {
  const child = spawn('true');
  await new Promise((done) => child.once('exit', done));
  const name = ownerName().replace(/^(\w+-\d+)-\d+-\d+-/, `$1-${child.pid}-1-`);
  expect(isSurelyDead(name)).toBe(true);
  return name;
}

/** A name of another machine, or of this one before its start: no process here can determine whether it is dead. */
const foreignName = () => ownerName().replace(/^\w+/, 'ffffffff');

describe('withLock in one process', () => {
  it('does not wait for its own lock that was moved away and back', async () => {
    const [folder, calls] = [tempFolder(), [] as string[]];
    const [locks, aside] = [join(folder, '.locks'), join(folder, 'aside')];
    await withLock(locks, 'x', async () => renameSync(join(locks, 'x'), aside));
    renameSync(aside, join(locks, 'x'));
    await withLock(locks, 'x', async () => void calls.push('ran'));
    expect(calls).toEqual(['ran']);
    expect(readdirSync(locks)).toEqual([]);
  });

  it('runs callers one after the other in the order of their calls', async () => {
    const locks = join(tempFolder(), 'a', '.locks');
    const seen: string[] = [];
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        withLock(locks, 'x', async () => {
          seen.push(`begin ${n}`);
          await sleep(n % 3);
          seen.push(`end ${n}`);
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => [`begin ${n}`, `end ${n}`]).flat());
    expect(readdirSync(locks)).toEqual([]);
  });

  it('does not make different names wait for each other', async () => {
    const locks = tempFolder();
    const held = await withLock(locks, 'a', () =>
      withLock(locks, 'b', async () => readdirSync(locks).sort()),
    );
    expect(held).toEqual(['a', 'b']);
  });

  it('returns the result of the work, throws its error, and is free afterwards', async () => {
    const locks = tempFolder();
    expect(await withLock(locks, 'x', async () => 7)).toBe(7);
    const fault = new Error('mine');
    await expect(withLock(locks, 'x', () => Promise.reject(fault))).rejects.toBe(fault);
    expect(await withLock(locks, 'x', async () => 8)).toBe(8);
    expect(readdirSync(locks)).toEqual([]);
  });

  it('a removed file is gone, or it is there again', async () => {
    const root = tempFolder();
    const [locks, target] = [join(root, '.locks'), join(root, 'target')];
    writeFileSync(target, 'text');
    const fail = ({ name, path }: FsCall) =>
      ['rm', 'unlink'].includes(name) && path.endsWith('/removed') ? { error: 'EIO' } : undefined;
    const restore = await tapFs(root, { before: fail });
    const remove = () => withLock(locks, 'x', (lock) => lock.remove(target, durability));
    expect((await errorOf(remove().finally(restore))).code).toBe('FILESYSTEM_ERROR');
    expect([readFileSync(target, 'utf8'), readdirSync(locks)]).toEqual(['text', []]);
    await remove();
    expect([existsSync(target), readdirSync(locks)]).toEqual([false, []]);
  });

  it('replaces and removes files; a symlink at the target is refused', async () => {
    const root = tempFolder();
    const [locks, target, elsewhere] = ['.locks', 'target', 'elsewhere'].map((n) =>
      join(root, n),
    ) as [string, string, string];
    writeFileSync(elsewhere, 'theirs');
    symlinkSync(elsewhere, target);
    const onLink = withLock(locks, 'x', (lock) =>
      lock.replace(target, Buffer.from('ours'), durability),
    );
    await expect(onLink).rejects.toMatchObject({ code: 'PATH_ESCAPE' });
    rmSync(target);
    const stamp = await withLock(locks, 'x', (lock) =>
      lock.replace(target, Buffer.from('ours'), durability),
    );
    expect(readFileSync(target, 'utf8')).toBe('ours');
    expect(readFileSync(elsewhere, 'utf8')).toBe('theirs');
    expect(stamp.ino).toBe(statSync(target, { bigint: true }).ino);
    await withLock(locks, 'x', (lock) => lock.remove(target, durability));
    await withLock(locks, 'x', (lock) => lock.remove(target, durability));
    expect(existsSync(target)).toBe(false);
    expect(readdirSync(locks)).toEqual([]);
  });

  it('never replaces a file that another process created since', async () => {
    const root = tempFolder();
    const targets = ['a', 'b'].map((name) => join(root, name));
    writeFileSync(join(root, 'a'), 'theirs');
    const bytes = Buffer.from('ours');
    const written = await withLock(join(root, '.locks'), 'x', async (lock) => {
      const target = targets.shift() as string;
      await lock.replace(target, bytes, durability, { base: null });
      return target;
    });
    expect(written).toBe(join(root, 'b'));
    expect(['a', 'b'].map((name) => readFileSync(join(root, name), 'utf8'))).toEqual([
      'theirs',
      'ours',
    ]);
    expect(statSync(join(root, 'b')).nlink).toBe(1);
  });

  it('releases the lock after the rename of the last replace, and at the end if the replace fails', async () => {
    const root = tempFolder();
    const locks = join(root, '.locks');
    const target = join(root, 'target');
    const seen: unknown[] = [];
    const onReplaced = () => seen.push([readFileSync(target, 'utf8'), readdirSync(locks)]);
    const replaceLast = (path: string) =>
      withLock(locks, 'x', async (lock) => {
        try {
          await lock.replace(path, Buffer.from('new'), durability, { isLast: true, onReplaced });
        } finally {
          seen.push([path, lock.isOurs()]);
        }
      });
    await replaceLast(target);
    await expect(replaceLast(join(root, 'missing', 'target'))).rejects.toThrow();
    expect(seen).toEqual([
      ['new', []],
      [target, false],
      [join(root, 'missing', 'target'), true],
    ]);
    expect(readdirSync(locks)).toEqual([]);
  });

  it('allows no further operation after the last one', async () => {
    const root = tempFolder();
    const target = join(root, 'target');
    let runs = 0;
    const twice = withLock(join(root, '.locks'), 'x', async (lock) => {
      runs += 1;
      await lock.replace(target, Buffer.from('first'), durability, { isLast: true });
      await lock.replace(target, Buffer.from('second'), durability);
    });
    await expect(twice).rejects.toMatchObject({ code: 'INTERNAL' });
    expect([runs, readFileSync(target, 'utf8')]).toEqual([1, 'first']);
  });

  it('leaves the target unchanged and no other files if a replace fails', async () => {
    const root = tempFolder();
    mkdirSync(join(root, 'target'));
    writeFileSync(join(root, 'target', 'inside'), '');
    const replacing = withLock(join(root, '.locks'), 'x', (lock) =>
      lock.replace(join(root, 'target'), Buffer.from('x'), durability),
    );
    await expect(replacing).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
    expect(readdirSync(join(root, 'target'))).toEqual(['inside']);
    expect(readdirSync(join(root, '.locks'))).toEqual([]);
  });

  it('runs the work again from its start when the lock was lost', async () => {
    const root = tempFolder();
    const [locks, target] = [join(root, '.locks'), join(root, 'target')];
    writeFileSync(target, 'old');
    let runs = 0;
    await withLock(locks, 'x', async (lock) => {
      runs += 1;
      const before = readFileSync(target, 'utf8');
      if (runs === 1) {
        const [own = ''] = readdirSync(join(locks, 'x'));
        renameSync(join(locks, 'x', own), join(locks, 'x.dead.test'));
        expect(await lock.isOurs()).toBe(false);
        writeFileSync(target, 'theirs');
      }
      await lock.replace(target, Buffer.from(`${before}+ours`), durability);
    });
    expect(runs).toBe(2);
    expect(readFileSync(target, 'utf8')).toBe('theirs+ours');
  });

  it('is acquired in the new folder of the locks if another process replaces the folder', async () => {
    const locks = join(tempFolder(), '.locks');
    mkdirSync(locks);
    let isReplaced = false;
    const replaceOnce = ({ name }: { name: string }) => {
      if (name !== 'mkdir' || isReplaced) return undefined;
      isReplaced = true;
      rmSync(locks, { recursive: true });
      mkdirSync(locks);
      return undefined;
    };
    const restore = await tapFs(locks, { before: replaceOnce });
    const owners = withLock(locks, 'x', async () => readdirSync(join(locks, 'x')));
    expect(await owners.finally(restore)).toHaveLength(1);
    expect(isReplaced).toBe(true);
  });

  it('throws an error with a code if no lock can be created', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    await expect(withLock(join(file, '.locks'), 'x', async () => 1)).rejects.toMatchObject({
      code: 'FILESYSTEM_ERROR',
    });
  });

  it('takes the lock over from a dead owner, and from an entry that is no owner', async () => {
    const locks = tempFolder();
    mkdirSync(join(locks, 'dead', await deadName()), { recursive: true });
    mkdirSync(join(locks, 'empty'));
    mkdirSync(join(locks, 'odd'));
    writeFileSync(join(locks, 'odd', '.DS_Store'), 'x');
    for (const name of ['dead', 'empty', 'odd']) {
      expect(await withLock(locks, name, async () => name)).toBe(name);
    }
    expect(readdirSync(locks)).toEqual([]);
  });
});

describe('withLock between processes', () => {
  it('waits for a running owner and continues when the owner releases the lock', async () => {
    const locks = tempFolder();
    const { child, nextLine } = otherProcess(locks, 'x', 'hold');
    expect(await nextLine()).toBe('held');
    let isOurs = false;
    const ours = withLock(locks, 'x', async () => {
      isOurs = true;
    });
    await sleep(200);
    expect(isOurs).toBe(false);
    child.stdin.end();
    await ours;
    expect(await nextLine()).toBe('released');
    expect(readdirSync(locks)).toEqual([]);
  });

  it('throws LOCKED with the name of the owner after ten seconds, and does not disturb it', async () => {
    const locks = tempFolder();
    const { child, nextLine } = otherProcess(locks, 'x', 'hold');
    await nextLine();
    const owner = readdirSync(join(locks, 'x'))[0];
    const begin = performance.now();
    await expect(withLock(locks, 'x', async () => 1)).rejects.toMatchObject({
      code: 'LOCKED',
      details: { owner },
    });
    expect(performance.now() - begin).toBeGreaterThan(9_900);
    child.stdin.end();
    expect(await nextLine()).toBe('released');
    expect(await withLock(locks, 'x', async () => 2)).toBe(2);
  });

  it('has one owner at a time while three processes never pause, and each of them gets it', async () => {
    const root = tempFolder();
    const locks = join(root, '.locks');
    const TIMES = 60;
    const others = [1, 2, 3].map(() => otherProcess(locks, 'x', 'count', String(TIMES)));
    const codes = await Promise.all(others.map(({ child }) => ended(child)));
    expect(codes).toEqual([0, 0, 0]);
    const lines = readFileSync(join(root, 'turns'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(3 * TIMES * 2);
    for (let n = 0; n < lines.length; n += 2) {
      expect(lines[n + 1]).toBe(lines[n]?.replace('begin', 'end'));
    }
    expect(readdirSync(locks)).toEqual([]);
  });

  it.each([
    ['uses it again and again', 'count'],
    ['leaves it to its own next call', 'handoff'],
  ])('is acquired by a process that waits while another process %s', async (_, what) => {
    const root = tempFolder();
    const locks = join(root, '.locks');
    writeFileSync(join(root, 'turns'), '');
    const { child, nextLine } = otherProcess(locks, 'x', what, '100000');
    expect(await nextLine()).toBe('ready');
    const turnsOfChild = () => readFileSync(join(root, 'turns'), 'utf8').split('end').length - 1;
    await expect.poll(turnsOfChild).toBeGreaterThan(3);
    const waits: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      const before = turnsOfChild();
      waits.push(await withLock(locks, 'x', async () => turnsOfChild() - before));
    }
    child.kill('SIGKILL');
    await ended(child);
    // Counted in turns of the other process, because times depend on the machine. A waiter that is held back
    // waits longer.
    waits.sort((a, b) => a - b);
    console.log(`turns of the other while we waited: ${waits.join(' ')}`);
    expect(waits[10]).toBeLessThan(10);
  });

  it('is released although a waiter adds its mark again and again', async () => {
    const locks = tempFolder();
    for (let round = 0; round < 60; round += 1) {
      let isDone = false;
      const run = withLock(locks, 'x', async () => {
        mkdirSync(join(locks, 'x', readdirSync(join(locks, 'x'))[0] ?? '', 'wanted'));
      }).then(() => {
        isDone = true;
      });
      while (!isDone) {
        const [owner] = existsSync(join(locks, 'x')) ? readdirSync(join(locks, 'x')) : [];
        if (owner !== undefined) {
          try {
            mkdirSync(join(locks, 'x', owner, 'wanted'));
          } catch (error) {
            expect(['EEXIST', 'ENOENT']).toContain((error as NodeJS.ErrnoException).code);
          }
        }
        await sleep(0);
      }
      await run;
      expect(existsSync(join(locks, 'x'))).toBe(false);
    }
  });
});

describe('sweepLocks', () => {
  it('removes only what dead processes left', async () => {
    const locks = tempFolder();
    const dead = await deadName();
    // Of another thread: each instance of the module knows only its own names.
    const alive = `${ownerName().replace(/-[0-9a-z]+$/, '')}-0123456`;
    const foreign = foreignName();
    mkdirSync(join(locks, 'held', alive), { recursive: true });
    mkdirSync(join(locks, 'far', foreign), { recursive: true });
    for (const name of [`a.${dead}`, `b.dead.${dead}`, `c.${alive}`, `d.${foreign}`]) {
      mkdirSync(join(locks, name));
    }
    writeFileSync(join(locks, `a.${dead}`, 'stage'), 'x');
    mkdirSync(join(locks, 'of-dead', dead), { recursive: true });
    writeFileSync(join(locks, 'of-dead', dead, 'stage'), 'x');
    mkdirSync(join(locks, 'empty'));
    writeFileSync(join(locks, '.DS_Store'), 'not ours');
    await sweepLocks(locks);
    const left = ['.DS_Store', `c.${alive}`, `d.${foreign}`, 'far', 'held'];
    expect(readdirSync(locks).sort()).toEqual(left.sort());
    await sweepLocks(locks);
    expect(readdirSync(locks).sort()).toEqual(left.sort());
    rmSync(join(locks, 'held'), { recursive: true });
  });

  it('removes a dead owner whose folder has two names after a power cut during a rename', async () => {
    const locks = tempFolder();
    const dead = await deadName();
    mkdirSync(join(locks, 'a', dead, 'wanted'), { recursive: true });
    mkdirSync(join(locks, `a.dead.${dead}`, 'wanted'), { recursive: true });
    await sweepLocks(locks);
    expect(readdirSync(locks)).toEqual([]);
  });

  it('does nothing if there is no folder', async () => {
    await sweepLocks(join(tempFolder(), 'none'));
  });
});

/** Leases: one holder, taken over from a holder that stopped refreshing, released without errors. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { tryLease } from '../../src/files/locks/lease.js';
import { ownerName } from '../../src/files/locks/process-identity.js';
import { tempFolder } from '../support/temp-folder.js';

async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('tryLease', () => {
  it('has one holder; a second release has no effect', async () => {
    const path = join(tempFolder(), '.leases', 'poll');
    const all = await Promise.all([1, 2, 3].map(() => tryLease(path)));
    const [lease, ...others] = all.filter((found) => found !== undefined);
    expect(others).toEqual([]);
    expect(lease?.isHeld()).toBe(true);
    await lease?.release();
    await lease?.release();
    expect(lease?.isHeld()).toBe(false);
    expect(existsSync(`${path}.lock`)).toBe(false);
    await (await tryLease(path))?.release();
  });

  it('is private to its user', async () => {
    const path = join(tempFolder(), '.leases', 'poll');
    const lease = await tryLease(path);
    for (const name of ['', '/poll.lock', '/poll.owner']) {
      expect(statSync(`${dirname(path)}${name}`).mode & 0o077).toBe(0);
    }
    await lease?.release();
  });

  it('a lease that was not refreshed is taken over, and its old holder is notified', async () => {
    const path = join(tempFolder(), 'poll');
    const first = await tryLease(path);
    expect(first?.isHeld()).toBe(true);
    const longAgo = Date.now() / 1000 - 60;
    utimesSync(`${path}.lock`, longAgo, longAgo);
    const second = await tryLease(path);
    expect(second?.isHeld()).toBe(true);
    await expect.poll(() => first?.isHeld()).toBe(false);
    await first?.release();
    expect(await tryLease(path)).toBeUndefined();
    await second?.release();
  });

  // proper-lockfile refreshes a lost lease once more, with a descriptor that may belong to another file by
  // then.
  it('a lease that was lost and released has no failing refresh afterwards', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => failures.push(error);
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', onFailure);
    try {
      const folder = tempFolder();
      const path = join(folder, 'poll');
      const lost = await tryLease(path);
      rmSync(`${path}.owner`);
      expect(lost?.isHeld()).toBe(false);
      await lost?.release();
      rmdirSync(`${path}.lock`);
      await (await tryLease(path))?.release();
      // With a file at the descriptor of the folder, the refresh fails with ENOTDIR.
      const files = [1, 2, 3, 4].map(() => openSync(join(folder, 'file'), 'a'));
      vi.advanceTimersByTime(10_000);
      await turns(200);
      for (const file of files) closeSync(file);
    } finally {
      vi.useRealTimers();
      process.off('uncaughtException', onFailure);
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
    expect(failures).toEqual([]);
  });

  it('is free at once when its holder was killed on this machine', async () => {
    const path = join(tempFolder(), 'poll');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    await once(child, 'spawn');
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const first = await tryLease(path);
    const mine = readFileSync(`${path}.owner`, 'utf8');
    writeFileSync(
      `${path}.owner`,
      mine.replace(/-\d+-\d+-(\w+)$/, `-${child.pid}-${startTime}-$1`),
    );
    expect(await tryLease(path)).toBeUndefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const second = await tryLease(path);
    expect(second?.isHeld()).toBe(true);
    expect(readFileSync(`${path}.owner`, 'utf8')).not.toContain(`-${child.pid}-${startTime}-`);
    await second?.release();
    await first?.release();
  });

  it('is free after a second when its holder died before it wrote its name', async () => {
    const path = join(tempFolder(), 'poll');
    mkdirSync(`${path}.lock`);
    const lease = await tryLease(path);
    expect(lease?.isHeld()).toBe(true);
    await lease?.release();
  });

  it.each([
    0, 60,
  ])('of a killed holder, refreshed %i s ago, is acquired by one of eight processes', async (seconds) => {
    for (let round = 0; round < 3; round += 1) {
      const path = join(tempFolder(), 'poll');
      const child = spawn(process.execPath, ['-e', '']);
      await once(child, 'exit');
      mkdirSync(`${path}.lock`);
      writeFileSync(`${path}.owner`, ownerName().replace(/-\d+-\d+-(\w+)$/, `-${child.pid}-1-$1`));
      const refreshed = Date.now() / 1000 - seconds;
      utimesSync(`${path}.lock`, refreshed, refreshed);
      const leases = await Promise.all(Array.from({ length: 8 }, () => tryLease(path)));
      const held = leases.filter((lease) => lease !== undefined);
      expect(held).toHaveLength(1);
      expect(existsSync(`${path}.lock`)).toBe(true);
      await held[0]?.release();
    }
  });

  it('is taken over from a holder on another machine whose clock was ahead, unless it still refreshes', async () => {
    const [ended, living] = [join(tempFolder(), 'poll'), join(tempFolder(), 'poll')];
    const nextYear = Date.now() / 1000 + 365 * 86_400;
    for (const path of [ended, living]) {
      mkdirSync(`${path}.lock`);
      writeFileSync(`${path}.owner`, '0123abcd-4026531836-812-55512-a1b2c31');
      utimesSync(`${path}.lock`, nextYear, nextYear);
    }
    const found = Promise.all([tryLease(ended), tryLease(living)]);
    await sleep(2_000);
    utimesSync(`${living}.lock`, nextYear + 5, nextYear + 5);
    const [ofEnded, ofLiving] = await found;
    expect(ofEnded?.isHeld()).toBe(true);
    expect(ofLiving).toBeUndefined();
    await ofEnded?.release();
  });

  it('is not awaited any longer after a cancellation', async () => {
    const path = join(tempFolder(), 'poll');
    mkdirSync(`${path}.lock`);
    const cancel = new AbortController();
    const waiting = tryLease(path, cancel.signal);
    const left = new Error('left');
    cancel.abort(left);
    await expect(waiting).rejects.toBe(left);
    expect(existsSync(`${path}.lock`)).toBe(true);
  });

  it('is not taken over after a holder that had not yet written its name', async () => {
    const path = join(tempFolder(), 'poll');
    mkdirSync(`${path}.lock`);
    const waiting = tryLease(path);
    await sleep(300);
    rmdirSync(`${path}.lock`); // the holder has ended
    expect(await waiting).toBeUndefined();
    await (await tryLease(path))?.release();
  });

  it('throws an error with a code for a path that cannot have a lease', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    await expect(tryLease(join(file, 'x'))).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
  });
});

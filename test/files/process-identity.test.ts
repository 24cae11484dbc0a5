/** Which processes are certainly dead: only those for which this can be determined here, and then at once. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { withLock } from '../../src/files/locks/file-lock.js';
import {
  isOfEarlierBoot,
  isOwnerName,
  isSurelyDead,
  ownerName,
} from '../../src/files/locks/process-identity.js';
import { tempFolder } from '../support/temp-folder.js';

const hasProc = existsSync('/proc/self/stat');
const [boot = '', namespace = '', pid = '', started = '', serial = ''] = ownerName().split('-');
const nameOf = (parts: { boot?: string; namespace?: string; pid?: string; started?: string }) =>
  [
    parts.boot ?? boot,
    parts.namespace ?? namespace,
    parts.pid ?? pid,
    parts.started ?? started,
    serial,
  ].join('-');

const statOf = (of: number) => {
  const text = readFileSync(`/proc/${of}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], started: fields[19] ?? '' };
};

describe('owner names', () => {
  it('are all different, are recognised, and are not dead while their process runs', () => {
    const names = Array.from({ length: 1000 }, ownerName);
    expect(new Set(names).size).toBe(1000);
    expect(names.every(isOwnerName)).toBe(true);
    expect(names.some(isSurelyDead)).toBe(false);
    expect(Number(pid)).toBe(process.pid);
  });

  it('are distinguished from other names', () => {
    const others = [
      '',
      'wanted',
      'stage',
      '.DS_Store',
      'x-1-2-3-4',
      `${ownerName()}.x`,
      `x.${ownerName()}`,
      `${ownerName()}/..`,
    ];
    expect(others.filter(isOwnerName)).toEqual([]);
    expect(others.filter(isSurelyDead)).toEqual([]);
  });
});

describe.runIf(hasProc)('with /proc', () => {
  it('a process that does not exist is dead', async () => {
    const child = spawn('true');
    await new Promise((done) => child.once('exit', done));
    expect(isSurelyDead(nameOf({ pid: String(child.pid) }))).toBe(true);
  });

  it('a name with the same pid and another start time is of another process', () => {
    expect(isSurelyDead(nameOf({ started: String(Number(started) - 1) }))).toBe(true);
    expect(isSurelyDead(nameOf({ pid: '1', started: '999999999999' }))).toBe(true);
  });

  it('a process of another boot or pid namespace does not count as dead', () => {
    expect(isSurelyDead(nameOf({ boot: 'ffffffff', pid: '999999999' }))).toBe(false);
    expect(isSurelyDead(nameOf({ namespace: '1', pid: '999999999' }))).toBe(false);
    expect(isSurelyDead(nameOf({ boot: '00000000', namespace: '0', pid: '999999999' }))).toBe(
      false,
    );
  });

  it('a zombie is dead although it can receive signals', async () => {
    // The shell starts a child and then becomes another `sleep`, which never waits for the child.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 30']);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const zombie = Number(await new Promise<Buffer>((done) => parent.stdout.once('data', done)));
    while (statOf(zombie).state !== 'Z') await sleep(5);
    expect(process.kill(zombie, 0)).toBe(true);
    const { started: since } = statOf(zombie);
    expect(isSurelyDead(nameOf({ pid: String(zombie), started: since }))).toBe(true);
  });

  it('a running or stopped process is not dead, whatever the name of its command is', async () => {
    const child = spawn('sleep', ['30'], { argv0: 'a) Z (b' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const name = nameOf({ pid: String(child.pid), started: statOf(child.pid ?? 0).started });
    expect(isSurelyDead(name)).toBe(false);
    child.kill('SIGSTOP');
    await sleep(20);
    expect(isSurelyDead(name)).toBe(false);
  });
});

describe.runIf(hasProc)('a process of an earlier boot', () => {
  const beforeBoot = Date.now() - (uptime() + 60) * 1000;
  it('is dead if its boot id differs and its last heartbeat was before this boot', () => {
    const earlier = nameOf({ boot: '00000001' });
    expect(isOfEarlierBoot(earlier, beforeBoot)).toBe(true);
    expect(isOfEarlierBoot(earlier, Date.now())).toBe(false); // another machine with a running process
    expect(isOfEarlierBoot(nameOf({ pid: '1' }), beforeBoot)).toBe(false);
    expect(isOfEarlierBoot('no name', beforeBoot)).toBe(false);
    // A running process on another machine has a heartbeat every five seconds, also during this start.
    const justBefore = Date.now() - (uptime() + 2) * 1000;
    expect(isOfEarlierBoot(earlier, justBefore)).toBe(false);
  });

  it('the lock of a dead process is taken over at the first call, without waiting', async () => {
    const locks = tempFolder();
    const dead = join(locks, 'x', nameOf({ boot: '00000001', pid: '1' }));
    mkdirSync(dead, { recursive: true });
    utimesSync(dead, beforeBoot / 1000, beforeBoot / 1000);
    expect(await withLock(locks, 'x', async () => 'mine')).toBe('mine');
    expect(readdirSync(locks)).toEqual([]);
  });
});

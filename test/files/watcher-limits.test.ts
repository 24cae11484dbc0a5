/**
 * The watcher at its limits: no more watches in the system, errors, sleep, closing. The limit of the system
 * is really lowered, in a user namespace of the child.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, lstatSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FSWatcher } from 'chokidar';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../src/base/log.js';
import type { Stamp } from '../../src/files/read/stamp.js';
import { KnownFiles } from '../../src/files/watcher/known-files.js';
import { PollingSchedule } from '../../src/files/watcher/polling-schedule.js';
import { statEntry } from '../../src/files/watcher/stat-entry.js';
import {
  agreement,
  consume,
  looksWithin,
  stampAt,
  tempRoot,
  until,
  watching,
  write,
} from './watcher-harness.js';

const REPO = resolve(import.meta.dirname, '../..');
const HOT = looksWithin(1000 + 1500);

let root: string;

beforeEach(() => {
  root = tempRoot();
  for (let i = 0; i < 20; i++) write(root, `f${i}/note.md`, `note ${i}`);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

/** All chokidar instances that are opened from now on. */
function spyOnChokidar(): Set<FSWatcher> {
  const opened = new Set<FSWatcher>();
  const add = FSWatcher.prototype.add;
  vi.spyOn(FSWatcher.prototype, 'add').mockImplementation(function (this: FSWatcher, ...args) {
    opened.add(this);
    return add.apply(this, args);
  });
  return opened;
}

const errorWith = (code: string) => Object.assign(new Error(`${code}: from a test`), { code });

describe('errors of watching', () => {
  it.each([
    'ENOSPC',
    'EMFILE',
  ])('falls back to scanning on %s, reports that, and still finds all changes', async (code) => {
    const opened = spyOnChokidar();
    const log = createLog('silent');
    const warn = vi.spyOn(log, 'warn');
    const consumer = await consume(root, { log });
    await watching(consumer, 21);
    expect(consumer.watcher.status()).toMatchObject({ mode: 'watching', errors: 0 });
    for (const chokidar of [...opened].slice(0, 3)) chokidar.emit('error', errorWith(code));
    expect(consumer.watcher.status()).toMatchObject({ mode: 'scanning', watchedFolders: 0 });
    expect(consumer.watcher.status().errors).toBeGreaterThan(0);
    expect(warn).toHaveBeenCalledTimes(1);
    await until(() => [...opened].every((chokidar) => chokidar.closed), 'all watches are closed');
    appendFileSync(join(root, 'f7/note.md'), ' more');
    expect(await agreement(consumer, `edit after ${code}`)).toBeLessThan(HOT);
    await consumer.close();
  });

  it('counts other errors and continues to watch', async () => {
    const opened = spyOnChokidar();
    const consumer = await consume(root);
    await watching(consumer, 21);
    for (const chokidar of opened) chokidar.emit('error', errorWith('EPERM'));
    expect(consumer.watcher.status()).toMatchObject({ mode: 'watching', errors: 21 });
    appendFileSync(join(root, 'f7/note.md'), ' more');
    expect(await agreement(consumer, 'edit after EPERM')).toBeLessThan(HOT);
    await consumer.close();
  });

  it('treat a path that cannot be inspected as unknown, not as removed', () => {
    symlinkSync('loop', join(root, 'loop'));
    expect(statEntry(join(root, 'loop/note.md'))).toBe('unknown');
    expect(statEntry(join(root, 'x'.repeat(300)))).toBe('unknown');
    expect(statEntry(join(root, 'f1/none.md'))).toBe('absent');
    expect(statEntry(join(root, 'f1/note.md/below'))).toBe('absent');
  });
});

describe('in a process of its own', () => {
  const child = [
    join(import.meta.dirname, 'watcher-child.mjs'),
    join(REPO, 'dist/files/watcher/watcher.js'),
  ];
  const run = (command: string, args: string[]) =>
    JSON.parse(execFileSync(command, [...args, root], { encoding: 'utf8', timeout: 150_000 }));

  it('lets the process end at once when it is closed', () => {
    const said = run(process.execPath, child);
    expect(said).toMatchObject({
      mode: 'watching',
      errors: 0,
      watchedFolders: 21,
      seen: 'f3/note.md',
    });
    expect(said.left).toEqual([]);
  });

  const withFiveWatches = [
    '-U',
    '-r',
    'sh',
    '-c',
    'echo 5 > /proc/sys/user/max_inotify_watches && exec "$@"',
    'sh',
  ];
  const canLimit = spawnSync('unshare', [...withFiveWatches, 'true']).status === 0;

  it.runIf(canLimit)('scans when the system has only five watches', () => {
    const said = run('unshare', [...withFiveWatches, process.execPath, ...child]);
    expect(said).toMatchObject({ mode: 'scanning', watchedFolders: 0, seen: 'f3/note.md' });
    expect(said.errors).toBeGreaterThan(0);
    expect(said.lines.filter((line: string) => line !== 'debug')).toHaveLength(1);
    expect(said.looks).toBeLessThan(HOT);
    expect(said.left).toEqual([]);
  });
});

describe('closing', () => {
  const handles = () =>
    process.getActiveResourcesInfo().filter((kind) => /FSEvent|StatWatcher/.test(kind)).length;

  it('leaves no handle and reports nothing more, at any time', async () => {
    for (const waitMs of [0, 1, 5, 20, 100, 400]) {
      const consumer = await consume(root);
      await delay(waitMs);
      appendFileSync(join(root, 'f3/note.md'), ' more');
      await Promise.all([consumer.watcher.close(), consumer.watcher.close()]);
      const reported = consumer.changes.length;
      await delay(200);
      expect(consumer.changes.length).toBe(reported);
      expect(handles()).toBe(0);
    }
  });

  it('is possible before the watcher is ready, and later calls do no harm', async () => {
    const consumer = consume(root);
    await (await consumer).watcher.close();
    const { watcher, changes } = await consumer;
    await watcher.reconcile();
    watcher.touch('f1/note.md', stampAt(root, 'f1/note.md'));
    expect(changes).toEqual([]);
  });
});

describe('a file that was checked during its write', () => {
  function viewAt(ageMs: () => number) {
    const reported: (Stamp | undefined)[] = [];
    const again: string[] = [];
    const path = join(root, 'f1/note.md');
    const seen = lstatSync(path, { bigint: true });
    const files = new KnownFiles({
      clock: { now: () => Number(seen.mtimeNs / 1_000_000n) + ageMs(), monotonic: () => 0 },
      match: () => true,
      onlyFiles: () => undefined,
      recentLimit: 10,
      report: (_path, stamp) => reported.push(stamp),
      checkAgain: (_folder, name) => again.push(name),
      replaced: () => undefined,
    });
    const apply = () => files.apply(files.tree.folder('f1'), 'note.md', seen);
    return { files, reported, again, apply };
  }

  it('is reported later, once, because a second write could get the same stamp', () => {
    let ageMs = 5;
    const { reported, again, apply } = viewAt(() => ageMs);
    apply();
    expect({ reported: reported.length, again }).toEqual({ reported: 0, again: ['note.md'] });
    ageMs = 60;
    for (let i = 0; i < 3; i++) apply();
    expect(reported).toHaveLength(1);
  });

  it('is reported at once, and once more, when a caller waits for it', () => {
    let ageMs = 5;
    const { files, reported, again, apply } = viewAt(() => ageMs);
    files.reportsFresh = true;
    apply();
    apply();
    expect({ reported: reported.length, again }).toEqual({
      reported: 1,
      again: ['note.md', 'note.md'],
    });
    ageMs = 60;
    for (let i = 0; i < 3; i++) apply();
    expect(reported).toHaveLength(2);
  });

  it('is not reported if this process wrote it', () => {
    let ageMs = 5;
    const { files, reported, apply } = viewAt(() => ageMs);
    files.adopt('f1/note.md', stampAt(root, 'f1/note.md'));
    apply();
    ageMs = 60;
    apply();
    expect(reported).toEqual([]);
  });
});

describe('the schedule of full passes', () => {
  it('uses monotonic time, and makes a pass due at once after a jump of the clock', () => {
    const time = { wallMs: 1_000_000, monotonicMs: 0 };
    const clock = { now: () => time.wallMs, monotonic: () => time.monotonicMs };
    const pace = new PollingSchedule(clock, 700);
    const pass = (ms: number, wallMs = ms) => {
      time.monotonicMs += ms;
      time.wallMs += wallMs;
      const isDue = pace.isFullDue(true);
      if (isDue) pace.noteFullPass();
      return isDue;
    };
    expect([700, 700, 700, 700, 700, 700].map((ms) => pass(ms))).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(pass(700, 3_600_000)).toBe(true);
    expect(pass(700)).toBe(false);
    expect(pass(700, -3_600_000)).toBe(true);
    expect(pass(700)).toBe(false);
  });
});

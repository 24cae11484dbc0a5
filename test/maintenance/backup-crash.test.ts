/** Backups while another process writes, backups that are killed, and backups on a full disk. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeNewFile } from '../../src/files/atomic/new-file-stream.js';
import { Backups } from '../../src/maintenance/backup/backup.js';
import { checkArchive } from '../../src/maintenance/check-archive.js';
import { restoreArchive } from '../../src/maintenance/restore/restore-archive.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';
import { areasOf, contentOf, FILES, openRoot, put } from './roots.js';

const DIST = resolve(import.meta.dirname, '../../dist');
const SCRIPT = resolve(import.meta.dirname, '../support/backup-user.mjs');

function start(root: string, what: string) {
  const child = spawn(process.execPath, [SCRIPT, DIST, root, what]);
  child.stderr.pipe(process.stderr);
  const lines = createInterface(child.stdout);
  const exit = once(child, 'exit');
  return { child, exit, said: async () => String((await once(lines, 'line'))[0]) };
}

describe('a backup while another process writes', () => {
  it('contains a whole version of every file', async () => {
    const { root, backups, time } = openRoot({});
    const writer = start(root, 'write');
    await writer.said();
    for (let n = 0; n < 5; n += 1) {
      time.now += 1000;
      const { path, leftOut } = await backups.make();
      expect(leftOut).toEqual([]);
      const to = join(tempFolder(), 'to');
      const report = await restoreArchive(path, { into: to, dryRun: false, fsync: false });
      expect(report.refused).toEqual([]);
      const files = Object.entries(contentOf(to)).filter(([name]) => name.endsWith('.json'));
      expect(files.length).toBeGreaterThan(10);
      for (const [name, text] of files) {
        if (name.endsWith('conversation.json')) {
          const { messages, messageCount } = JSON.parse(text);
          expect(messages).toHaveLength(messageCount);
        }
      }
    }
    writer.child.stdin.end();
    await writer.exit;
  });
});

describe('a backup that is killed in the middle', () => {
  it('leaves only a temporary file, which the next backup removes', async () => {
    const { root, folder, backups } = openRoot();
    for (let n = 0; n < 60; n += 1) {
      const noise = randomBytes(200_000).toString('base64');
      put(root, { [`conversation-logs/20250124-${1737724800000 + n}/conversation.json`]: noise });
    }
    const temporary = () => readdirSync(folder).filter((name) => name.startsWith('.tmp-'));
    let interrupted = 0;
    for (const pauseMs of [0, 40, 120, 250]) {
      const maker = start(root, 'backup');
      await maker.said();
      await new Promise((resume) => setTimeout(resume, pauseMs));
      maker.child.kill('SIGKILL');
      await maker.exit;
      const named = readdirSync(folder).filter((name) => name.startsWith('daybook-'));
      // A backup that ended before the kill is whole.
      for (const name of named) await checkArchive(join(folder, name));
      if (temporary().length > 0) interrupted += 1;
    }
    expect(interrupted).toBeGreaterThan(0);
    await backups.make();
    expect(temporary()).toEqual([]);
  });
});

describe('a full disk', () => {
  /** Mounts a small disk. Returns `undefined` if this machine does not let the test mount one. */
  function smallDisk(size: string): string | undefined {
    const folder = tempFolder();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], {
        stdio: 'ignore',
      });
    } catch {
      return undefined;
    }
    onTestFinished(() => void execFileSync('umount', [folder]));
    return folder;
  }

  it('lets a backup fail with STORAGE_FULL, without a new file, and keeps the old backup', async (context) => {
    const disk = smallDisk('600k');
    if (disk === undefined) return context.skip('mounting is not allowed here');
    const { root, time, clock } = openRoot();
    const folder = join(disk, 'backups');
    const backups = new Backups({ folder, areas: areasOf(root), keepDays: 1, clock, fsync: true });
    const { path } = await backups.make();
    put(root, { 'memory-bank/noise.md': randomBytes(800_000).toString('base64') });
    time.now += 10 * 86_400_000;
    expect((await errorOf(backups.make())).code).toBe('STORAGE_FULL');
    expect(readdirSync(folder).sort()).toEqual(['.gitignore', path.slice(folder.length + 1)]);
    expect((await checkArchive(path)).files).toHaveLength(Object.keys(FILES).length);
  });

  it('stops a restore, which continues when there is free space again', async (context) => {
    const disk = smallDisk('200k');
    if (disk === undefined) return context.skip('mounting is not allowed here');
    const { backups } = openRoot();
    const { path } = await backups.make();
    const into = areasOf(join(disk, 'root'));
    const options = { into, dryRun: false, fsync: false };
    mkdirSync(join(disk, 'root'));
    const { code, hint } = await errorOf(restoreArchive(path, options));
    expect(code).toBe('STORAGE_FULL');
    expect(hint).toMatch(/^A part of the files may be restored\./);
    execFileSync('mount', ['-o', 'remount,size=2m', disk]);
    expect((await restoreArchive(path, options)).refused).toEqual([]);
    expect(contentOf(join(disk, 'root'))).toEqual(FILES);
  });
});

describe('a new file', () => {
  it('is written by only one of two calls that want its name', async () => {
    const path = join(tempFolder(), 'x');
    async function* text(what: string) {
      for (let n = 0; n < 50; n += 1) {
        yield what;
        await new Promise((resume) => setImmediate(resume));
      }
    }
    const both = ['a', 'b'].map((what) => writeNewFile(path, text(what), { fsync: false }));
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(['a'.repeat(50), 'b'.repeat(50)]).toContain(readFileSync(path, 'utf8'));
  });
});

/** `daybook unlock`: it shows the owner of a lock, and removes a lock whose owner has ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownerName } from '../../src/files/locks/process-identity.js';
import { runInTerminal } from '../support/terminal.js';
import { type Place, runCommand, withPlace } from './harness.js';

const ROOT = resolve(import.meta.dirname, '../..');
const LOCK = '20250124-1706102400123';
/** An owner on another machine. This machine cannot know whether it lives. */
const STRANGER = 'deadbeef-4026531836-812-55512-a1b2c31';

const locksOf = ({ root }: Place) => join(root, 'conversation-logs', '.locks');

const quietSince = (quietMs: number) => (Date.now() - quietMs) / 1000;

async function holdBy(place: Place, owner: string, quietMs: number): Promise<string> {
  const path = join(locksOf(place), LOCK);
  await mkdir(join(path, owner), { recursive: true });
  const seen = quietSince(quietMs);
  await utimes(join(path, owner), seen, seen);
  return path;
}

/** Starts a process that holds the lock until the test ends it. */
async function holdByProcess(place: Place): Promise<ChildProcess> {
  const script = join(ROOT, 'test/support/lock-user.mjs');
  const args = [script, join(ROOT, 'dist'), locksOf(place), LOCK, 'hold'];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

const unlock = (place: Place, ...args: string[]) =>
  runCommand(place, ['--root', place.root, 'unlock', ...args]);

describe('daybook unlock', () => {
  it('shows a lock whose owner has ended, asks, and removes it', async () => {
    await withPlace(async (place) => {
      const child = await holdByProcess(place);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const path = join(locksOf(place), LOCK);
      const args = ['--root', place.root, 'unlock'];
      const answers = (type: string) => ({ answers: [{ after: '[y/N]', type }] });
      const kept = await runInTerminal(place, args, answers('n\n'));
      expect(kept.screen).toContain(`${LOCK}: owned by process ${child.pid}, which has ended`);
      expect(kept.screen).toContain('0 removed, 1 left');
      expect((await unlock(place)).stderr).toContain('--yes'); // nobody to ask
      expect(existsSync(path)).toBe(true);
      const removed = await runInTerminal(place, args, answers('y\n'));
      expect(removed).toMatchObject({ code: 0 });
      expect(removed.screen).toContain('1 removed, 0 left');
      expect((await unlock(place)).stdout).toBe('There are no locks.\n');
    });
  });

  it('refuses for a living owner, unless it is forced', async () => {
    await withPlace(async (place) => {
      const child = await holdByProcess(place);
      for (const args of [[], ['--yes'], [LOCK, '--yes']]) {
        const { code, stderr } = await unlock(place, ...args);
        expect(code).toBe(2);
        expect(stderr).toContain(`owned by process ${child.pid}, which is running`);
        expect(stderr).toContain('The owner is running');
      }
      const forced = await unlock(place, LOCK, '--force', '--yes', '--json');
      expect(forced.code).toBe(0);
      expect(JSON.parse(forced.stdout)).toMatchObject({ removed: [LOCK] });
      child.stdin?.end();
      expect(await once(child, 'exit')).toEqual([0, null]); // it let go of what it had no more
    });
  });

  it('removes the lock of another machine only if its owner has shown no sign for a long time', async () => {
    await withPlace(async (place) => {
      const path = await holdBy(place, STRANGER, 1_000);
      const refused = await unlock(place, '--yes');
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('on another machine or in another container');
      expect(refused.stderr).toContain('The owner may be running');
      await holdBy(place, STRANGER, 60_000);
      const { code, stderr, stdout } = await unlock(place, '--yes');
      expect(code).toBe(0);
      expect(stderr).toContain('no longer renews the lock');
      expect(stdout).toContain('1 removed');
      expect(existsSync(join(path, STRANGER))).toBe(false);
      await holdBy(place, STRANGER, Date.now() - 1_000_000_000_000); // before this machine was started
      expect((await unlock(place, '--yes')).stderr).toContain('which has ended');
    });
  });

  it('removes no private or discarded folders, which are no locks', async () => {
    await withPlace(async (place) => {
      await mkdir(join(locksOf(place), `${LOCK}.${ownerName()}`, ownerName()), { recursive: true });
      await mkdir(join(locksOf(place), `${LOCK}.dead.${STRANGER}`), { recursive: true });
      expect((await unlock(place)).stdout).toBe('There are no locks.\n');
    });
  });

  it('lists the locks of a knowledge graph in another folder', async () => {
    await withPlace(async (place) => {
      const elsewhere = join(place.folder, 'graph');
      const lock = join(elsewhere, '.locks', 'kg', STRANGER);
      await mkdir(place.root, { recursive: true });
      await mkdir(lock, { recursive: true });
      await utimes(lock, quietSince(60_000), quietSince(60_000));
      const env = { ...place.env, MCP_KG_SNAPSHOT: join(elsewhere, 'snapshot.json') };
      const moved = { ...place, env };
      const info = await runCommand(moved, ['--root', place.root, 'info']);
      expect(`${info.stdout}${info.stderr}`).toContain(
        'The owner of the lock kg no longer renews it',
      );
      expect((await unlock(moved, '--yes')).stdout).toContain('1 removed, 0 left');
    });
  });

  it('lists the locks of the memory bank; info reports one that shows no sign of its owner', async () => {
    await withPlace(async (place) => {
      const lock = join(place.root, 'memory-bank', '.locks', 'insight-x', STRANGER);
      await mkdir(lock, { recursive: true });
      await utimes(lock, quietSince(60_000), quietSince(60_000));
      const info = await runCommand(place, ['--root', place.root, 'info']);
      expect(info.code).toBe(1);
      expect(`${info.stdout}${info.stderr}`).toContain(
        'The owner of the lock insight-x no longer renews it',
      );
      expect((await unlock(place, 'insight-x', '--yes')).stdout).toContain('1 removed, 0 left');
      expect((await runCommand(place, ['--root', place.root, 'info'])).code).toBe(0);
    });
  });
});

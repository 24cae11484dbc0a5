/**
 * One of several processes that want the same lock. For each command it takes the lock once, checks with
 * an exclusive marker file that no other process holds the lock, and increases a counter file by one.
 */
import { closeSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../../src/files/locks/file-lock.js';
import { commands, say, task } from './lines.js';

export interface ContenderTask {
  root: string;
}

export interface ContenderTurn {
  /** The time at which this process got the lock, in milliseconds of the Unix clock. */
  heldAt: number;
  wasAlone: boolean;
}

const { root } = task<ContenderTask>();
const locksFolder = join(root, 'conversation-logs', '.locks');
const counter = join(root, 'counter');
const marker = join(root, 'marker');

function enterAlone(): boolean {
  try {
    closeSync(openSync(marker, 'wx'));
    return true;
  } catch {
    return false;
  }
}

say({ ready: true });
for await (const { name } of commands<{ name: string }>()) {
  const turn = await withLock(locksFolder, name, async (lock): Promise<ContenderTurn> => {
    const heldAt = performance.timeOrigin + performance.now();
    const wasAlone = enterAlone();
    const next = Number(readFileSync(counter, 'utf8')) + 1;
    if (wasAlone) unlinkSync(marker);
    await lock.replace(counter, Buffer.from(String(next)), { fsync: false });
    return { heldAt, wasAlone };
  });
  say(turn);
}

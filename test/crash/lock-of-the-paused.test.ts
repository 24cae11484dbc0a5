/**
 * A process is stopped (SIGSTOP) before a file-system call of an append, loses its lock, and continues
 * (SIGCONT) after another process has written. It never overwrites the other message: its own message comes
 * after it, or the call fails with an error. Conversations are named by an id and by a new key.
 *
 * The test takes the lock with one rename, as docs/LOCKING.md describes in step 4. Daybook does this after
 * 30 s if it cannot know whether the owner lives.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { isOwnerName } from '../../src/files/locks/process-identity.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { Child } from '../support/child.js';
import { timeLimitMs } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import type { InterruptedResult, InterruptedTask } from './children/interrupted.js';

const ID = '20250124-1706102400123';
const base = tempFolder();
let count = 0;

interface Case {
  operation: 'append' | 'keyed';
  ref: string;
}

const CASES: readonly Case[] = [
  { operation: 'append', ref: ID },
  { operation: 'keyed', ref: 'new-key' },
];

function openPlace() {
  count += 1;
  const root = join(base, String(count));
  const logs = join(root, 'conversation-logs');
  const locksFolder = join(logs, '.locks');
  mkdirSync(join(logs, ID), { recursive: true });
  const messages = [{ role: 'user', content: 'before' }];
  writeFileSync(join(logs, ID, 'conversation.json'), JSON.stringify({ messages }));
  return { root, logs, locksFolder };
}

type Place = ReturnType<typeof openPlace>;

const taskOf = ({ root }: Place, { operation, ref }: Case, at: number): InterruptedTask => ({
  root,
  operation,
  ref,
  text: 'paused',
  at,
  signal: 'SIGSTOP',
});

async function isStoppedOrDone(child: Child, result: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  void result.then(() => {
    isDone = true;
  });
  while (!isDone && !child.isStopped()) await sleep(2);
  return !isDone;
}

/** Takes every lock from its owner (step 4 of docs/LOCKING.md). Returns the number of locks taken. */
function depose({ locksFolder }: Place): number {
  let deposed = 0;
  if (!existsSync(locksFolder)) return 0; // the process stopped before it made this folder
  for (const lock of readdirSync(locksFolder)) {
    if (isOwnerName(lock.slice(lock.lastIndexOf('.') + 1))) continue; // a private or discarded folder
    for (const owner of readdirSync(join(locksFolder, lock)).filter(isOwnerName)) {
      const discarded = join(locksFolder, `${lock}.dead.${owner}`);
      renameSync(join(locksFolder, lock, owner), discarded);
      rmSync(discarded, { recursive: true });
      deposed += 1;
    }
  }
  return deposed;
}

async function writeAsAnother({ logs }: Place, { ref }: Case): Promise<void> {
  const store = await openConversationStore({ logsFolder: logs, maxMessages: 100, fsync: true });
  await store.append(ref, [{ role: 'user', content: 'other' }], { create: true });
}

async function textsOf({ logs }: Place, { operation, ref }: Case): Promise<string[]> {
  const store = await openConversationStore({ logsFolder: logs, maxMessages: 100, fsync: true });
  if (operation === 'keyed') {
    const heads = await store.list();
    expect(heads.filter(({ clientId }) => clientId === ref)).toHaveLength(1);
    expect(store.damaged()).toEqual([]);
  }
  return (await store.load(ref)).messages.map(({ content }) => content);
}

describe('a process that is stopped at any step of an append and loses its lock', () => {
  it.each(CASES)(
    'overwrites no message of another process when it continues ($operation)',
    async (one) => {
      const child = new Child('interrupted', taskOf(openPlace(), one, -1));
      const counting = await child.next<InterruptedResult>();
      expect(counting.code).toBeUndefined();
      let deposed = 0;
      for (let at = 0; at < counting.calls; at += 1) {
        const place = openPlace();
        child.send(taskOf(place, one, at));
        const result = child.next<InterruptedResult>();
        const isStopped = await isStoppedOrDone(child, result);
        if (isStopped) {
          deposed += depose(place);
          await writeAsAnother(place, one);
          child.kill('SIGCONT');
        }
        const { code } = await result;
        const texts = await textsOf(place, one);
        const before = one.operation === 'append' ? ['before'] : [];
        expect(texts.slice(0, before.length)).toEqual(before);
        expect(texts, `stopped before call ${at}`).toContain(isStopped ? 'other' : 'paused');
        if (code === undefined) expect(texts, `stopped before call ${at}`).toContain('paused');
        else expect(code).toMatch(/^[A-Z_]+$/);
        expect(new Set(texts).size).toBe(texts.length);
      }
      await child.stop();
      console.log(
        `${one.operation}: stopped before each of ${counting.calls} calls, ${deposed} deposed`,
      );
      expect(deposed).toBeGreaterThan(3);
    },
    timeLimitMs(300_000),
  );
});

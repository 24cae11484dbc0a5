/**
 * A process is stopped (SIGSTOP) before a file-system call of an addition to the graph, loses its lock, and
 * continues (SIGCONT) after another process has added a fact. All facts that one of them acknowledged are
 * in the graph.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { isOwnerName } from '../../src/files/locks/process-identity.js';
import { allOf, fact, graphIn } from '../stores/knowledge-graph/graph.js';
import { Child } from '../support/child.js';
import { timeLimitMs } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import type { GraphTask } from './children/graph.js';

/** Takes the graph's lock from its owner, as a waiter does after 30 s (docs/LOCKING.md, step 4). */
function takeLock(folder: string): number {
  const lock = join(folder, '.locks', 'kg');
  const owners = existsSync(lock) ? readdirSync(lock).filter(isOwnerName) : [];
  for (const owner of owners) {
    renameSync(join(lock, owner), `${lock}.dead.${owner}`);
    rmSync(`${lock}.dead.${owner}`, { recursive: true });
  }
  return owners.length;
}

it(
  'an addition that is paused before any file-system call while another process adds loses no fact',
  async () => {
    const folder = tempFolder();
    const task: GraphTask = { folder, maxTriples: 1000, syncsAppends: true };
    const child = new Child('graph', task);
    await child.next();
    const expected: string[] = [];
    let taken = 0;
    let rounds = 0;
    for (let at = 0, calls = 1; at < calls; at += 1) {
      child.send({ do: 'add', subject: `paused ${at}`, at, signal: 'SIGSTOP' });
      const answer = child.next<number>();
      let isDone = false;
      void answer.then(() => {
        isDone = true;
      });
      while (!isDone && !child.isStopped()) await sleep(2);
      if (!isDone) {
        rounds += 1;
        taken += takeLock(folder);
      }
      const other = graphIn(folder);
      await other.add([fact(`other ${at}`)]);
      await other.close();
      child.kill('SIGCONT');
      calls = Math.max(calls, await answer);
      expected.push(`paused ${at}`, `other ${at}`);
    }
    const fresh = graphIn(folder);
    const subjects = (await allOf(fresh)).map(({ subject }) => subject);
    expect(subjects.sort()).toEqual(expected.sort());
    expect(rounds).toBeGreaterThan(5);
    expect(taken).toBeGreaterThan(2);
    await fresh.close();
    await child.stop();
  },
  timeLimitMs(300_000),
);

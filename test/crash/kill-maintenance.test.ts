/**
 * A run of prune, archive, encrypt, decrypt, redact or repair is killed right before one of its file-system
 * calls. Nothing is lost, and the next run completes the work.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Child } from '../support/child.js';
import { CARE, DIGITS } from '../support/maintenance-scenarios.js';
import { sampled, timeLimitMs } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';
import type { MaintenanceTask } from './children/maintenance.js';

/** How many calls of an operation are tried in one run. */
const TRIED = 5;

const outside = tempFolder();
const keyFile = join(outside, 'key');
writeFileSync(keyFile, DIGITS);

async function filledRoot(fill: (root: string) => Promise<void>): Promise<string> {
  const root = join(tempFolder(), 'root');
  await fill(root);
  return root;
}

const interrupted = (operation: string, root: string, at: number) =>
  new Child('maintenance', {
    operation,
    root,
    keyFile,
    at,
    signal: 'SIGKILL',
  } satisfies MaintenanceTask);

describe('kill -9 before a file-system call', () => {
  it.each(CARE)(
    'of $name loses nothing, and the next run completes the work',
    async ({ name, fill, run, problems }) => {
      const counting = interrupted(name, await filledRoot(fill), -1);
      const { calls } = await counting.next<{ calls: number }>();
      await counting.ended();
      expect(calls).toBeGreaterThan(10);
      const all = Array.from({ length: calls }, (_, at) => at);
      for (const at of sampled(`kill-maintenance, ${name}`, all, Math.ceil(calls / TRIED))) {
        const root = await filledRoot(fill);
        const where = `killed before call ${at} of ${calls}`;
        const killed = interrupted(name, root, at);
        expect(await killed.nextLine(), where).toBeUndefined();
        await killed.ended();
        expect(await problems(root, false), where).toEqual([]);
        await run(root, keyFile, false);
        expect(await problems(root, true), where).toEqual([]);
      }
    },
    timeLimitMs(300_000),
  );
});

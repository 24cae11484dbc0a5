/**
 * `daybook unlock`: shows the write locks and their owners, and removes locks whose owner has ended.
 * Daybook removes such locks automatically, except if it cannot find out whether the owner is running.
 */
import { locksOf } from '../../app/locks.js';
import { AppError } from '../../base/errors.js';
import { breakLock, type LockFacts } from '../../files/locks/held-locks.js';
import { configuration, type Flags } from '../options/configuration.js';
import { confirm, requireTerminal } from '../terminal/confirm.js';
import { type ConsentOptions, report } from '../terminal/output.js';
import { escapeControls } from '../terminal/terminal-text.js';

export interface UnlockOptions extends ConsentOptions {
  force?: boolean;
}

const STATES: Readonly<Record<LockFacts['state'], string>> = {
  dead: 'which has ended',
  living: 'which is running',
  quiet: 'which is on another machine and no longer renews the lock',
};

const ELSEWHERE =
  'which runs on another machine or in another container, or ended when this machine was restarted';

/** `name`: only this lock. Throws CONFLICT if its owner is running and `force` is not set. */
export async function unlock(
  name: string | undefined,
  options: UnlockOptions,
  flags: Flags,
): Promise<void> {
  const all = await locksOf(configuration(flags));
  const locks = all.filter((lock) => name === undefined || lock.name === name);
  if (name !== undefined && locks.length === 0) {
    throw new AppError('VALIDATION_ERROR', `There is no lock ${name}.`, {
      hint: 'To see the current locks, run daybook unlock.',
      details: { missing: 'lock' },
    });
  }
  for (const lock of locks) console.error(line(lock));
  const chosen = locks.filter(({ state }) => options.force || state !== 'living');
  if (chosen.length < locks.length && (name !== undefined || chosen.length === 0)) {
    throw living(locks.filter((lock) => !chosen.includes(lock)));
  }
  const removed = (await isConfirmed(chosen, options)) ? await remove(chosen) : [];
  const left = locks.length - removed.length;
  report({ locks, removed }, options.json, () =>
    console.log(
      locks.length === 0 ? 'There are no locks.' : `${removed.length} removed, ${left} left`,
    ),
  );
}

function line({ name, pid, quietMs, state, isElsewhere }: LockFacts): string {
  const seen = `last seen ${Math.round(quietMs / 1000)} s ago`;
  const stateText = state === 'living' && isElsewhere ? ELSEWHERE : STATES[state];
  return escapeControls(`${name}: owned by process ${pid}, ${stateText} (${seen})`);
}

async function isConfirmed(locks: readonly LockFacts[], { yes }: UnlockOptions): Promise<boolean> {
  if (locks.length === 0 || yes) return locks.length > 0;
  requireTerminal('Nothing was removed.');
  return confirm(`Remove ${locks.map(({ name }) => name).join(', ')}?`);
}

async function remove(locks: readonly LockFacts[]): Promise<string[]> {
  const removed: string[] = [];
  for (const lock of locks) if (await breakLock(lock)) removed.push(lock.name);
  return removed;
}

function living(locks: readonly LockFacts[]): AppError {
  const names = locks.map(({ name, pid }) => `${name} (process ${pid})`).join(', ');
  const mayHaveEnded = locks.every(({ isElsewhere }) => isElsewhere);
  const what = mayHaveEnded ? 'The owner may be running' : 'The owner is running';
  const wait = mayHaveEnded
    ? 'Try again in 30 seconds: if the owner has not renewed the lock by then, it has ended.'
    : 'Wait, or end that process.';
  return new AppError('CONFLICT', `${what}: ${names}.`, {
    hint: `Nothing was removed. ${wait} With --force, the lock is removed while its owner may run; the owner then starts its work again.`,
  });
}

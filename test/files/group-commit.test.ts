/**
 * Group commit: one commit at a time, order kept, and each item has its own outcome.
 */
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { GroupCommit } from '../../src/files/atomic/group-commit.js';

describe('GroupCommit', () => {
  it('writes waiting items together, in order, one commit at a time', async () => {
    const batches: number[][] = [];
    let running = 0;
    const commits = new GroupCommit<number, number>(async (items) => {
      running += 1;
      expect(running).toBe(1);
      batches.push([...items]);
      await sleep(5);
      running -= 1;
      return items.map((value) => ({ value: value * 2 }));
    });
    const first = [1, 2, 3].map((n) => commits.add(n));
    await sleep(1);
    const second = [4, 5].map((n) => commits.add(n));
    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10]);
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('fails only the item whose outcome is an error; all items if the commit throws', async () => {
    const commits = new GroupCommit<string, string>(async (items) => {
      if (items.includes('throw')) throw new Error('thrown');
      return items.map((item) => (item === 'bad' ? { error: new Error(item) } : { value: item }));
    });
    const settle = (items: string[]) =>
      Promise.allSettled(items.map((item) => commits.add(item))).then((all) =>
        all.map(({ status }) => status === 'fulfilled'),
      );
    expect(await settle(['a', 'bad', 'b'])).toEqual([true, false, true]);
    expect(await settle(['a', 'throw'])).toEqual([false, false]);
    expect(await settle(['c'])).toEqual([true]);
  });

  it('rejects an item without an outcome, and reports when it is idle', async () => {
    let idle = 0;
    const commits = new GroupCommit<number, number>(async () => [{ value: 0 }], {
      whenIdle: () => {
        idle += 1;
      },
    });
    const all = await Promise.allSettled([commits.add(1), commits.add(2)]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await sleep(1);
    expect(idle).toBe(1);
  });

  it('commits at most the given number of items at once, in order', async () => {
    const batches: (readonly number[])[] = [];
    const commits = new GroupCommit<number, number>(
      async (items) => {
        batches.push(items);
        return items.map((value) => ({ value }));
      },
      { maxBatch: 3 },
    );
    const all = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((item) => commits.add(item)));
    expect(all).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  });
});

/** A change that cannot be indexed must not fail the write that made it, nor the changes after it. */
import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/log.js';
import { ChangeQueue } from '../../src/search/change-queue.js';

describe('ChangeQueue', () => {
  // In the first time slice, changes are applied while the write waits; later ones are applied after it.
  it.each([0, 20])('logs a change that fails after %i ms, and applies the next one', async (ms) => {
    const error = vi.fn();
    const queue = new ChangeQueue({ ...silentLog, error });
    const applied: string[] = [];
    function* failing(): Generator<undefined, void> {
      const until = performance.now() + ms;
      while (performance.now() < until) yield;
      throw new Error('not indexed');
    }
    function* working(): Generator<undefined, void> {
      yield;
      applied.push('next');
    }
    const [first, second] = [queue.add(failing()), queue.add(working())];
    await first;
    await second;
    expect(applied).toEqual(['next']);
    expect(error).toHaveBeenCalledOnce();
    expect(queue.hasAll).toBe(false);
  });
});

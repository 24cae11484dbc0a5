import { describe, expect, it } from 'vitest';
import { TimeSlice, yieldToEventLoop } from '../../src/base/async/time-slice.js';

/** A clock that shows the time that the test sets. */
function manualClock() {
  const clock = { time: 0, now: () => clock.time, monotonic: () => clock.time };
  return clock;
}

describe('TimeSlice', () => {
  it('is spent after four milliseconds of work, and not again right after a pause', async () => {
    const clock = manualClock();
    const slice = new TimeSlice({ clock });
    clock.time = 3;
    expect(slice.isSpent()).toBe(false);
    clock.time = 4;
    expect(slice.isSpent()).toBe(true);
    await slice.yield();
    expect(slice.isSpent()).toBe(false);
  });

  it('lets timers and other callbacks run while it yields', async () => {
    let hasRun = false;
    setImmediate(() => {
      hasRun = true;
    });
    await new TimeSlice().yield();
    expect(hasRun).toBe(true);
  });

  it('throws the reason of a signal that was aborted during the pause', async () => {
    const stop = new AbortController();
    const slice = new TimeSlice({ signal: stop.signal });
    setImmediate(() => stop.abort('enough'));
    await expect(slice.yield()).rejects.toBe('enough');
    await expect(yieldToEventLoop(stop.signal)).rejects.toBe('enough');
  });

  it('counts the time of work and leaves out the time of pauses', async () => {
    const clock = manualClock();
    const slice = new TimeSlice({ clock });
    clock.time = 5;
    slice.pause();
    clock.time = 100;
    slice.resume();
    clock.time = 107;
    await slice.yield();
    expect(slice.busyMs).toBe(12);
  });

  it('waits with a timer after few steps of a slow disk, and not after many steps', async () => {
    const order: string[] = [];
    const pauseAfter = async (steps: number) => {
      const slice = new TimeSlice({ readsDisk: true });
      for (let i = 0; i < steps; i++) slice.isSpent();
      await slice.yield();
      order.push(`${steps} steps`);
    };
    await Promise.all([pauseAfter(1), pauseAfter(1000)]);
    expect(order).toEqual(['1000 steps', '1 steps']);
  });
});

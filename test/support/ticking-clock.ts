/** For tests of long work in slices: each look at the clock takes a millisecond, so slices have few steps. */
import type { Clock } from '../../src/base/clock.js';

/** With `tickingClock`, a `TimeSlice` is spent after so many steps. */
export const STEPS_PER_SLICE = 4;

export function tickingClock(): Clock {
  let ms = 0;
  const tick = () => {
    ms += 1;
    return ms;
  };
  return { now: tick, monotonic: tick };
}

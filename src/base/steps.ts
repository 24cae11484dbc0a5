/** Work that is written as a generator, which pauses between bounded steps. */
import { TimeSlice } from './time-slice.js';

/** Runs a generator to its end without the pauses. */
export function runToCompletion<Value>(work: Generator<void, Value>): Value {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Runs a generator to its end. Other work of the process runs in the pauses, every few milliseconds. */
export async function runInSlices<Value>(work: Generator<void, Value>): Promise<Value> {
  const slice = new TimeSlice();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (slice.isSpent()) await slice.yield();
  }
}

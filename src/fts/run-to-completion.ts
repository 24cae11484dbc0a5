/** Work that is written as a generator, which pauses between bounded steps, done at once. */

/** Runs a generator to its end without the pauses. */
export function runToCompletion<Value>(work: Generator<void, Value>): Value {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

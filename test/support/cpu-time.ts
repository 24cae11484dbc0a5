/** Processor time for tests of how a cost grows. It does not depend on other load of the machine. */

/** The processor time of this process so far, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * The least processor time of some runs of `work`, in milliseconds: a single run may also pay for the compiler
 * and for the garbage of the tests before it.
 */
export async function leastCpuMs(work: () => unknown, runs = 5): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const before = cpuMs();
    await work();
    times.push(cpuMs() - before);
  }
  return Math.min(...times);
}

/**
 * The processor time of `work`, and the most of it between two turns of the event loop: for so long no other
 * call is answered.
 */
export async function blockedCpuMs(
  work: () => Promise<unknown>,
): Promise<{ longest: number; all: number }> {
  const started = cpuMs();
  let last = started;
  let longest = 0;
  const look = () => {
    longest = Math.max(longest, cpuMs() - last);
    last = cpuMs();
  };
  const timer = setInterval(look, 1);
  await work();
  look();
  clearInterval(timer);
  return { longest, all: last - started };
}

/** Processor time for tests of how a cost grows. It does not depend on other load of the machine. */

/**
 * The least processor time of some runs of `work`, in milliseconds: a single run may also pay for the compiler
 * and for the garbage of the tests before it.
 */
export async function leastCpuMs(work: () => unknown, runs = 5): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return Math.min(...times);
}

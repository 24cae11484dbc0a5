/** For children that a signal stops right before a chosen file-system call below `root`. */
import { tapFs } from './fs-tap.js';

export interface Interruption {
  readonly root: string;
  /** The number of calls before it; -1: never. */
  readonly at: number;
  readonly signal: NodeJS.Signals;
}

/** Runs `work` and returns the number of calls, where the process is still there. */
export async function interruptedAt(
  { root, at, signal }: Interruption,
  work: () => Promise<unknown>,
): Promise<number> {
  let calls = 0;
  const restore = await tapFs(root, {
    before() {
      if (calls === at) {
        process.kill(process.pid, signal);
        // The signal may reach another thread first: this one must not get any further.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      }
      calls += 1;
      return undefined;
    },
  });
  await work().finally(restore);
  return calls;
}

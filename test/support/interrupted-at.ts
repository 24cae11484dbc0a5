/** For child processes: a signal stops them directly before a chosen file-system call below `root`. */
import { tapFs } from './fs-tap.js';

export interface Interruption {
  readonly root: string;
  /** The number of calls before the stop; -1 means no stop. */
  readonly at: number;
  readonly signal: NodeJS.Signals;
}

/** Runs `work`. Returns the number of calls if the process was not killed. */
export async function interruptedAt(
  { root, at, signal }: Interruption,
  work: () => Promise<unknown>,
): Promise<number> {
  let calls = 0;
  const restore = await tapFs(root, {
    before() {
      if (calls === at) {
        process.kill(process.pid, signal);
        // Another thread may receive the signal first, so this thread must wait here.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      }
      calls += 1;
      return undefined;
    },
  });
  await work().finally(restore);
  return calls;
}

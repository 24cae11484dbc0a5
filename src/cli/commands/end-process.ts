/**
 * The end of a server process within seconds, whatever hangs. A blocked file operation occupies a
 * thread of libuv, and `process.exit` waits for that thread: opening a FIFO can block for ever.
 */
import { sleep } from '../../base/clock.js';
import type { Log } from '../../base/log.js';

/** Longer than the 8 seconds that accepted calls get to finish. */
const HARD_STOP_MS = 10_000;
/** The time for file operations that are not blocked, such as those of a watcher that has closed. */
const SETTLE_MS = 1_000;
const STEP_MS = 20;

/** From now on the process ends within HARD_STOP_MS. Files stay whole: every write survives a kill. */
export function limitEnding(log: Log): void {
  const stop = () => {
    log.error(`the server did not end within ${HARD_STOP_MS / 1000} seconds, so it is stopped now`);
    kill();
  };
  setTimeout(stop, HARD_STOP_MS).unref();
}

/** Ends the process with `process.exitCode` or 0, or kills it where a file operation blocks the exit. */
export async function endProcess(): Promise<never> {
  for (let waitedMs = 0; hasFileOperations(); waitedMs += STEP_MS) {
    if (waitedMs >= SETTLE_MS) kill();
    await sleep(STEP_MS);
  }
  process.exit();
}

const hasFileOperations = () =>
  process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));

function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}

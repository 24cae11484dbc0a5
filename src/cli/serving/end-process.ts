/**
 * Ends a server process within seconds, also if a file operation never returns. Such an operation (for
 * example opening a FIFO) blocks a thread of libuv, and `process.exit` waits for that thread. The
 * server first waits for its running calls (accepted-calls.ts), so that their writes are finished.
 */
import { sleep } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import { FINISH_MS } from '../../server/accepted-calls.js';

/** Leaves time to answer the calls and to close the store. */
const HARD_STOP_MS = FINISH_MS + 2_000;
/** Time for normal file operations to finish, such as those of a closed watcher. */
const SETTLE_MS = 1_000;
const STEP_MS = 20;

/** Kills the process after HARD_STOP_MS. This damages no file, because all writes are crash-safe. */
export function limitEnding(log: Log): void {
  const stop = () => {
    log.error(`the server did not end within ${HARD_STOP_MS / 1000} seconds, so it is stopped now`);
    kill();
  };
  setTimeout(stop, HARD_STOP_MS).unref();
}

/** Ends the process with `process.exitCode` or 0, or kills it if a file operation blocks the exit. */
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

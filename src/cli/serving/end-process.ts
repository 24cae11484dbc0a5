/**
 * The end of a server process (graceful shutdown), in this order:
 * 1. A signal arrives (`stopSignal`), or stdin ends (server/stdio/stdio-server.ts). From now on `limitEnding` limits
 *    the time.
 * 2. The server waits until its running calls are answered (server/accepted-calls.ts), so that their writes are
 *    finished.
 * 3. `closeApp` closes the stores, and reports the writes that are lost (cli/notices/lost-writes.ts).
 * 4. `endProcess` ends the process, also if a file operation never returns. Such an operation (for example
 *    opening a FIFO) blocks a thread of libuv, and `process.exit` waits for that thread.
 */
import type { App } from '../../app.js';
import { sleep } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import { FINISH_MS } from '../../server/accepted-calls.js';
import { reportLostWrites } from '../notices/lost-writes.js';

/** Leaves time to answer the calls and to close the store. */
const HARD_STOP_MS = FINISH_MS + 2_000;
/** Time for normal file operations to finish, such as those of a closed watcher. */
const SETTLE_MS = 1_000;
const STEP_MS = 20;

/** Aborted by SIGTERM, SIGINT or SIGHUP. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(name, () => stop.abort(name));
  }
  return stop.signal;
}

/** Kills the process after HARD_STOP_MS. This damages no file, because all writes are crash-safe. */
export function limitEnding(log: Log): void {
  const stop = () => {
    log.error(`the server did not end within ${HARD_STOP_MS / 1000} seconds, so it is stopped now`);
    kill();
  };
  setTimeout(stop, HARD_STOP_MS).unref();
}

/** Closes the stores and reports lost writes. */
export async function closeApp(app: App): Promise<void> {
  await app.close();
  reportLostWrites(app);
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

/** Only one import at a time writes into a store; another one waits for a while. */
import { sleep } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import { type Lease, tryLease } from '../files/locks/lease.js';
import { leasePathIn } from '../files/locks/lock-folders.js';

const WAIT_MS = 10_000;
const POLL_INTERVAL_MS = 200;

/** LOCKED if another import does not end. */
export async function importLease(
  logsFolder: string,
  signal: AbortSignal | undefined,
): Promise<Lease> {
  for (let waitedMs = 0; ; waitedMs += POLL_INTERVAL_MS) {
    const lease = await tryLease(leasePathIn(logsFolder, 'import'), signal);
    if (lease !== undefined) return lease;
    if (waitedMs >= WAIT_MS) break;
    await sleep(POLL_INTERVAL_MS, signal);
  }
  throw new AppError('LOCKED', 'Another import into this store is running.', {
    hint: 'Wait until it has ended, then import again. Conversations that it imported are not imported twice.',
  });
}

/** LOCKED if another process took the lease over, because this one did not run for a while. */
export function requireHeld(lease: Lease | undefined): void {
  if (lease?.isHeld() ?? true) return;
  throw new AppError('LOCKED', 'Another import started while this one was paused.', {
    hint: 'Wait until the other import has ended, then import again. Imported conversations are not removed.',
  });
}

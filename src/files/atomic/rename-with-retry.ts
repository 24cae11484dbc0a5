/**
 * Renames a file or folder. Windows refuses this while a virus scanner or an indexer has the target open, so the
 * rename is repeated for a moment.
 */
import { renameSync } from 'node:fs';
import { sleep } from '../../base/clock.js';
import { errnoOf } from '../../base/errors.js';

const BUSY = new Set(['EPERM', 'EBUSY', 'EACCES']);
const PAUSES_MS = [5, 10, 20, 40, 80, 160, 320];

/** Throws the system's error. */
export async function renameWithRetry(from: string, to: string): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return renameSync(from, to);
    } catch (error) {
      if (!BUSY.has(errnoOf(error) ?? '')) throw error;
      await sleep(pauseMs);
    }
  }
  return renameSync(from, to);
}

/** Closes a file if an error of `close` is harmless: nothing was written, or the data was already fsynced. */
import { closeSync } from 'node:fs';

/** Never throws. */
export function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch {
    // Linux frees the handle even after an error.
  }
}

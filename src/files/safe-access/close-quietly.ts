/** Closing where an error does not matter: nothing was written, or the data is confirmed already. */
import { closeSync } from 'node:fs';

/** Never throws. */
export function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch {
    // Linux has freed the handle all the same.
  }
}

/** Closing where that says nothing about the file: nothing was written, or it was confirmed. */
import { closeSync } from 'node:fs';

/** Never throws. */
export function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch {
    // Linux has freed the handle all the same.
  }
}

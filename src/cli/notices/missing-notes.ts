/** Reports the notes that `daybook kg export` could not read, so that their observations are not in the export. */
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { oneLine } from '../terminal/terminal-text.js';

/** Prints each path on stderr, and sets the exit status. */
export function reportMissingNotes(paths: readonly string[]): void {
  for (const path of paths) {
    console.error(
      `not exported: the observation in the note ${oneLine(path)}, which cannot be read.`,
    );
  }
  if (paths.length > 0) process.exitCode = NOTHING_FOUND;
}

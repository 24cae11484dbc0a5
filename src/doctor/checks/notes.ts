/** Checks notes: unreadable files, conflict markers of git, and names that collide on other systems. */
import { join } from 'node:path';
import { undefinedIfUnreadable } from '../../base/errors.js';
import { CONFLICT_NOTE, hasMergeConflict } from '../../stores/conflict-markers.js';
import type { MemoryBank } from '../../stores/memory-bank/memory-bank.js';
import { problemWithNotePath } from '../../stores/memory-bank/note-path.js';
import { type Check, type Found, unreadable } from '../check.js';

export const noteCheck = (bank: MemoryBank): Check => ({
  name: 'notes',
  async run({ countChecked, found, signal }) {
    await bank.refresh();
    const notes = bank.known();
    countChecked(notes.length);
    for (const { path, error } of bank.skipped()) {
      const finding = unreadable(error, join(bank.folder, path));
      // The file is not damaged if only its name is wrong for a note.
      const severity = error.code === 'VALIDATION_ERROR' ? 'warning' : finding.severity;
      const hint = hasRefusedName(path) ? RENAME_HINT : finding.hint;
      found({ ...finding, severity, hint, message: withoutName(finding.message, path) });
    }
    for (const { path } of notes) {
      signal.throwIfAborted();
      if (hasMergeConflict(await textOf(bank, path))) found(conflictIn(join(bank.folder, path)));
    }
    for (const [first, second] of collidingNames(notes.map(({ path }) => path))) {
      found({
        severity: 'warning',
        path: join(bank.folder, second),
        message: `On Windows and macOS, ${second} and ${first} would be the same file.`,
        hint: 'Rename one of them.',
      });
    }
  },
});

const RENAME_HINT =
  'Rename the file on the disk. Under this name it cannot be read or found as a note.';

/** Whether only the name is wrong. The hint of the error is for a caller who gives a path. */
const hasRefusedName = (path: string): boolean => problemWithNotePath(path)?.code === 'PATH_ESCAPE';

/** The text of a note; empty if it cannot be read now. */
const textOf = async (bank: MemoryBank, path: string): Promise<string> =>
  (await undefinedIfUnreadable(bank.read(path)))?.content ?? '';

const conflictIn = (path: string): Found => ({
  severity: 'warning',
  path,
  message: CONFLICT_NOTE,
  hint: 'Nothing is lost: the note has the text of both branches. If the lines are only an example, indent them.',
});

/** The finding has the whole path of the note already. */
const withoutName = (message: string, name: string) =>
  [JSON.stringify(name), name].reduce(
    (text, each) => (text.startsWith(each) ? text.replace(each, 'The file') : text),
    message,
  );

/** Returns pairs of names that differ only in case or Unicode normalization. */
function collidingNames(names: readonly string[]): [string, string][] {
  const seen = new Map<string, string>();
  const twins: [string, string][] = [];
  for (const name of names) {
    const folded = name.normalize('NFC').toLowerCase();
    const first = seen.get(folded);
    if (first !== undefined) twins.push([first, name]);
    else seen.set(folded, name);
  }
  return twins;
}

/**
 * Finds private folders and files that other users of the machine may access. What is inside a folder that
 * keeps other users out, such as the files of an editor, is one note for each private folder.
 */
import { relative } from 'node:path';
import type { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { closeToOthers, type OpenEntry, openToOthers } from '../../files/paths/permissions.js';
import { type Check, type Found, orFinding, unreadable } from '../check.js';

/** `folders`: private folders, with all their content. */
export const permissionCheck = (folders: readonly string[]): Check => ({
  name: 'permissions',
  async run({ countChecked, found, signal }) {
    const onEntry = () => countChecked();
    const onClosed = (path: string, error: AppError) => found(unreadable(error, path));
    for (const folder of folders) {
      const unreachable: OpenEntry[] = [];
      await orFinding(found, folder, async () => {
        for await (const entry of openToOthers(folder, { signal, onEntry, onClosed })) {
          if (entry.isReachable) found(findingOf(entry));
          else if (entry.isOwn) unreachable.push(entry);
        }
      });
      if (unreachable.length > 0) found(noteOf(folder, unreachable));
    }
  },
});

function findingOf(entry: OpenEntry): Found {
  const { path, isOwn } = entry;
  return {
    severity: 'warning',
    path,
    message: `Other users of this machine can open it (mode ${modeOf(entry)}).`,
    hint: isOwn
      ? 'daybook doctor --repair removes these permissions.'
      : 'Another user owns it. Change its owner, then run daybook doctor again.',
    ...(isOwn && {
      repair: async () => {
        await closeToOthers(entry);
        return 'Only you can open it now.';
      },
    }),
  };
}

function noteOf(folder: string, entries: readonly OpenEntry[]): Found {
  const [first] = entries;
  const example = first && `such as ${relative(folder, first.path)}, mode ${modeOf(first)}`;
  const have = countOf(entries.length, 'file or folder has', 'files or folders have');
  return {
    severity: 'note',
    path: folder,
    message: `In ${folder}, ${have} permissions for other users (${example}), but other users cannot get there.`,
    hint: 'daybook doctor --repair removes these permissions.',
    repair: async () => {
      for (const entry of entries) await closeToOthers(entry);
      return 'Only you can open what is in it now.';
    },
  };
}

const modeOf = ({ mode }: OpenEntry) => mode.toString(8).padStart(4, '0');

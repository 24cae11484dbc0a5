/** Finds private folders and files that other users of the machine may access. */
import { closeToOthers, openToOthers } from '../../files/paths/permissions.js';
import type { Check } from '../check.js';

/** `folders`: private folders, with all their content. */
export const permissionCheck = (folders: readonly string[]): Check => ({
  name: 'permissions',
  async run({ countChecked, found, signal }) {
    for (const folder of folders) {
      for await (const entry of openToOthers(folder, { signal, onEntry: () => countChecked() })) {
        const { path, mode, isOwn } = entry;
        found({
          severity: 'warning',
          path,
          message: `Other users of this machine can open it (mode ${mode.toString(8).padStart(4, '0')}).`,
          hint: isOwn
            ? 'daybook doctor --repair removes these permissions.'
            : 'Another user owns it. Change its owner, then run daybook doctor again.',
          ...(isOwn && {
            repair: async () => {
              await closeToOthers(entry);
              return 'Only you can open it now.';
            },
          }),
        });
      }
    }
  },
});

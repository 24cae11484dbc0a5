/** Reports other tools on this machine that delete old sessions, so that the user can import them before. */
import { findDefaultLocations, type Machine } from '../../import/tool-logs/default-locations.js';
import type { Check } from '../check.js';

export const otherToolsCheck = (machine: Machine): Check => ({
  name: 'other tools',
  async run({ countChecked, found }) {
    for (const { title, path, deletes, kind } of await findDefaultLocations(machine)) {
      countChecked();
      if (deletes === undefined) continue;
      found({
        severity: 'note',
        path,
        message: `${title} deletes ${deletes}.`,
        hint: `To keep them, run daybook import --from ${kind}. With --watch it also imports later changes.`,
      });
    }
  },
});

/** Checks insights: damaged files, and conflict markers of git. */
import { basename, join } from 'node:path';
import { undefinedIfUnreadable } from '../../base/errors.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { readWhole } from '../../files/read/whole-file.js';
import { hasMergeConflict } from '../../stores/conflict-markers.js';
import { readInsight } from '../../stores/insights/insight-file.js';
import type { InsightStore } from '../../stores/insights/insights.js';
import { INSIGHT_ID } from '../../stores/insights/schema.js';
import { type Check, type Found, orFinding, unreadable } from '../check.js';
import { damagedJson, type JsonFile, type RepairOptions } from '../repair-json.js';

export const insightCheck = (
  insights: InsightStore,
  bankFolder: string,
  options: RepairOptions,
): Check => ({
  name: 'insights',
  run: ({ countChecked, found, signal }) =>
    orFinding(found, join(bankFolder, 'insights'), async () => {
      for (const { insight } of await insights.all()) {
        signal.throwIfAborted();
        countChecked();
        const path = join(bankFolder, 'insights', `${insight.id}.json`);
        if (await hasConflictInside(path)) found(conflictInInsight(path, insight.id));
      }
      for (const { name: fileName, error } of insights.damaged()) {
        const path = join(bankFolder, 'insights', fileName);
        const name = basename(fileName, '.json');
        const file: JsonFile = {
          path,
          locksFolder: locksFolderIn(bankFolder),
          lockName: `insight-${name}`,
          check: (value) => void readInsight(value, { id: name, path, modifiedAt: 0 }),
        };
        const hasId = INSIGHT_ID.test(name);
        found(hasId ? await damagedJson(error, file, options) : unreadable(error, path));
      }
    }),
});

/** An insight with a conflict can be read, so it is not among the damaged ones. */
async function hasConflictInside(path: string): Promise<boolean> {
  const found = await undefinedIfUnreadable(readWhole(path));
  return hasMergeConflict(found?.bytes.toString() ?? '');
}

const conflictInInsight = (path: string, id: string): Found => ({
  severity: 'warning',
  path,
  message: 'The insight has conflict markers of git. Daybook joins both sides when it reads it.',
  hint: `Nothing is lost. Read it with daybook insight get ${id}, and give the text to keep to daybook insight update ${id} --content: that writes the file again, without markers. Then commit the file.`,
});

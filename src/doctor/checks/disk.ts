/** Checks whether Daybook can write to its folders, and the free space of the disk. */
import { problemWithWriting } from '../../files/paths/write-access.js';
import { folderSize, freeBytes } from '../../files/read/folder-size.js';
import type { Check } from '../check.js';

const MB = 1_000_000;
/** With less free space, a write may fail at any time. */
const LITTLE_BYTES = 100 * MB;

const NO_FOLDER =
  'A file or a link is in the place of the folder. Rename the file or link, so that Daybook can make the folder.';
const NO_ACCESS =
  'Check the owner and the permissions of the folder, and whether the disk is mounted for writing.';

export const diskCheck = (root: string, folders: readonly string[]): Check => ({
  name: 'disk',
  async run({ countChecked, found }) {
    for (const path of [root, ...folders]) {
      countChecked();
      const problem = problemWithWriting(path);
      if (problem === undefined) continue;
      found({
        severity: 'error',
        path,
        message: `Daybook cannot write there (${problem}).`,
        hint: problem === 'ENOTDIR' ? NO_FOLDER : NO_ACCESS,
      });
    }
    const free = await freeBytes(root);
    const { sizeBytes } = await folderSize(root);
    if (free >= Math.max(LITTLE_BYTES, sizeBytes)) return;
    found({
      severity: free < LITTLE_BYTES ? 'warning' : 'note',
      path: root,
      message: `${Math.round(free / MB)} MB are free on its disk; the size of the store is ${Math.round(sizeBytes / MB)} MB.`,
      hint: 'Free some disk space: a backup may not fit, and writes to a full disk fail with STORAGE_FULL.',
    });
  },
});

/** Checks the machine: free disk space, write permissions, and the clock. */
import { type Clock, isoTime } from '../../base/clock.js';
import { problemWithWriting } from '../../files/paths/write-access.js';
import { folderSize, freeBytes } from '../../files/read/folder-size.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { Check } from '../check.js';

const MB = 1_000_000;
/** With less free space, a write may fail at any time. */
const LITTLE_BYTES = 100 * MB;
/** The normal difference between the clocks of two machines. */
const TOLERANCE_MS = 5 * 60_000;

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
        hint: 'Check the owner and the permissions of the folder, and whether the disk is mounted for writing.',
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

export const clockCheck = (conversations: ConversationStore, clock: Clock): Check => ({
  name: 'clock',
  async run({ countChecked, found }) {
    const now = clock.now();
    for (const { conversationId, createdAt, updatedAt } of await conversations.list()) {
      countChecked();
      const last = createdAt > updatedAt ? createdAt : updatedAt;
      const isAhead = Date.parse(last) > now + TOLERANCE_MS;
      if (!isAhead && createdAt <= updatedAt) continue;
      found({
        severity: isAhead ? 'warning' : 'note',
        path: conversations.path(conversationId),
        message: isAhead
          ? `The last time in the conversation is ${last}, but the clock of this machine shows ${isoTime(now)}.`
          : `The time of the last change (${updatedAt}) is before the time of creation (${createdAt}).`,
        hint: isAhead
          ? 'Check the clock of this machine. While it is wrong, new messages are sorted before older ones.'
          : 'The clock was set back, or someone edited the file. The messages stay in the order of the file.',
      });
    }
  },
});

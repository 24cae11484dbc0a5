/** Compares the times in conversations with the clock of this machine. */
import { type Clock, isoTime } from '../../base/clock.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { Check } from '../check.js';

/** The normal difference between the clocks of two machines. */
const TOLERANCE_MS = 5 * 60_000;

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

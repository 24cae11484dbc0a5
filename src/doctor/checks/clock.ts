/** Compares the times in conversations with the clock of this machine. */
import { type Clock, isoTime } from '../../base/clock.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ConversationDocument } from '../../stores/conversations/document/document.js';
import type { Check } from '../check.js';

/** The normal difference between the clocks of two machines. */
const TOLERANCE_MS = 5 * 60_000;

/** Returns the latest time of a message; empty if there is none. */
export function lastTimeIn(document: ConversationDocument): string {
  let last = '';
  for (let seq = 1; seq <= document.head.messageCount; seq += 1) {
    const time = document.message(seq)?.createdAt ?? '';
    if (time > last) last = time;
  }
  return last;
}

/** `lastTimes`: the results of `lastTimeIn`, by conversation, of an earlier check, which reads each file. */
export const clockCheck = (
  conversations: ConversationStore,
  clock: Clock,
  lastTimes: ReadonlyMap<string, string>,
): Check => ({
  name: 'clock',
  async run({ countChecked, found }) {
    const now = clock.now();
    for (const { conversationId, createdAt, updatedAt } of await conversations.list()) {
      countChecked();
      const times = [createdAt, updatedAt, lastTimes.get(conversationId) ?? ''];
      const last = times.sort().at(-1) ?? '';
      const isAhead = Date.parse(last) > now + TOLERANCE_MS;
      if (!isAhead && createdAt <= updatedAt) continue;
      found({
        severity: isAhead ? 'warning' : 'note',
        path: conversations.path(conversationId),
        message: isAhead
          ? `The last time in the conversation is ${last}, but the clock of this machine shows ${isoTime(now)}.`
          : `The time of the last change (${updatedAt}) is before the time of creation (${createdAt}).`,
        hint: isAhead
          ? 'Check the clock of this machine. While it is wrong, new messages are sorted before older ones. If the clock is right, correct the time in the file.'
          : 'The clock was set back, or someone edited the file. The messages stay in the order of the file.',
      });
    }
  },
});

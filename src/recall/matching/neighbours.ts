/** Which messages of a conversation are beside each other: near, or turns of one speaker. */
import type { ConversationTerms } from '../conversation-terms.js';
import { NEAR_TERMS } from './lexical-constants.js';
import { beginsSession } from './sessions.js';

/** The same speaker's last message before `message`, -1 if there is none. */
export function turnBefore({ speakers }: ConversationTerms, message: number): number {
  const speaker = speakers[message];
  let at = message - 1;
  while (at >= 0 && speakers[at] !== speaker) at--;
  return at;
}

/** The same speaker's next message after `message`, -1 if there is none. */
export function turnAfter({ speakers }: ConversationTerms, message: number): number {
  const speaker = speakers[message];
  let at = message + 1;
  while (at < speakers.length && speakers[at] !== speaker) at++;
  return at < speakers.length ? at : -1;
}

/** The longest distance of two messages of which one can count for the score of the other. */
export function reachOf(conversation: ConversationTerms): number {
  const { starts, times, speakers } = conversation;
  const lastTurns = new Map<number, number>();
  let reach = 0;
  for (let message = 0; message < times.length; message++) {
    const speaker = speakers[message] ?? 0;
    reach = Math.max(reach, message - (lastTurns.get(speaker) ?? message));
    lastTurns.set(speaker, message);
    const from = (starts[message] ?? 0) - NEAR_TERMS;
    let near = message;
    while (near > 0 && (starts[near] ?? 0) > from && !beginsSession(times, near)) near--;
    reach = Math.max(reach, message - near);
  }
  return reach;
}

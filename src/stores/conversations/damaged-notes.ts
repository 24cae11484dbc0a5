/** A sentence about damaged conversations for answers that would have their content. */
import { countOf } from '../../base/text/display-text.js';
import type { ConversationStore } from './conversations.js';

/** Says how many conversations an answer cannot have, because their files are damaged. */
export function damagedNotes(conversations: Pick<ConversationStore, 'damaged'>): string[] {
  const count = conversations.damaged().length;
  return count === 0
    ? []
    : [`${countOf(count, 'conversation')} could not be read; see \`store_info\`.`];
}

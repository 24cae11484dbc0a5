/**
 * Detects hand edits: changes that a person or another program made to a `conversation.json` itself. After an
 * edit that changed or removed messages the user may want the earlier version back.
 */
import type { ConversationDocument } from '../document/document.js';
import type { Message } from '../document/schema.js';

/**
 * Whether `now` is a hand edit of `before` that lost a text. After a hand edit `updatedAt` is not later, because
 * only Daybook's own writes set it; it is earlier if the editor had opened the file before Daybook's last write.
 */
export function isLossyHandEdit(before: ConversationDocument, now: ConversationDocument): boolean {
  if (now.head.updatedAt > before.head.updatedAt) return false;
  return losesText(before.snapshot().messages, now.snapshot().messages);
}

/** Whether a message of `before` is missing in `now`, or has another text or role there. */
function losesText(before: readonly Message[], now: readonly Message[]): boolean {
  const byId = new Map(now.map((message) => [message.id, message]));
  return before.some(({ id, role, content }) => {
    const found = byId.get(id);
    return found === undefined || found.content !== content || found.role !== role;
  });
}

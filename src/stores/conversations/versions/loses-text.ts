/** Detects changes after which the user may want the earlier version back. */
import type { Message } from '../document/schema.js';

/** Whether a message of `before` is missing in `now`, or has another text or role there. */
export function losesText(before: readonly Message[], now: readonly Message[]): boolean {
  const byId = new Map(now.map((message) => [message.id, message]));
  return before.some(({ id, role, content }) => {
    const found = byId.get(id);
    return found === undefined || found.content !== content || found.role !== role;
  });
}

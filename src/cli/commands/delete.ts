/** `daybook delete`: moves a conversation to the trash, or removes it for good after a question. */
import type { Flags } from '../configuration.js';
import { findConversation, nameOfConversation } from '../find-conversation.js';
import { NOTHING_FOUND } from '../status.js';
import { confirm, requireTerminal } from '../terminal/ask.js';
import { countOf, report } from '../terminal/output.js';
import { oneLine } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

export interface DeleteOptions {
  permanent?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Asks before what cannot be undone, unless `yes`. CONVERSATION_NOT_FOUND, CONFLICT, VALIDATION_ERROR. */
export async function deleteConversation(
  name: string,
  { permanent = false, yes = false, json }: DeleteOptions,
  flags: Flags,
): Promise<void> {
  await withApp(flags, async ({ conversations }) => {
    const id = await findConversation(conversations, name);
    const { head } = await conversations.view(id);
    const title = head.title === undefined ? '' : `, ${JSON.stringify(oneLine(head.title))}`;
    const about = `${oneLine(nameOfConversation(head))}${title}, ${countOf(head.messageCount, 'message')}`;
    if (permanent && !yes) {
      requireTerminal('Nothing was deleted.');
      if (!(await confirm(`Remove ${about} for good?`))) {
        console.error('Nothing was deleted.');
        process.exitCode = NOTHING_FOUND;
        return;
      }
    }
    const trashed = permanent ? undefined : await conversations.trash(id);
    if (permanent) await conversations.remove(id);
    const facts = { conversationId: id, deleted: true, permanent };
    report({ ...facts, ...(trashed && { trashPath: trashed.path }) }, json, () => {
      console.log(`Deleted: ${about}`);
      if (!permanent) console.log(`daybook restore ${id} brings it back.`);
    });
  });
}

/** `daybook delete`: moves a conversation to the trash, or removes it permanently after a question. */

import { archivedId } from '../../app/not-found-hints.js';
import { deletedAs, purgeDeleted } from '../../app/purge-deleted.js';
import type { App } from '../../app.js';
import { isAppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import type { TrashedConversation } from '../../stores/conversations/conversation-trash.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { CLIENT_ID } from '../../stores/conversations/document/conversation-id.js';
import { TRASHED_CONVERSATION } from '../../stores/conversations/files/trashed-ids.js';
import {
  findAlsoDamaged,
  findExisting,
  nameOfConversation,
} from '../arguments/find-conversation.js';
import type { Flags } from '../options/configuration.js';
import { daybookLine } from '../terminal/command-line.js';
import { confirmOrEnd } from '../terminal/confirm.js';
import { type ConsentOptions, report } from '../terminal/output.js';
import { oneLine } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

export interface DeleteOptions extends ConsentOptions {
  permanent?: boolean;
}

/** Asks before a permanent removal. Throws CONVERSATION_NOT_FOUND, CONFLICT or VALIDATION_ERROR. */
export async function deleteConversation(
  name: string,
  { permanent = false, yes = false, json }: DeleteOptions,
  flags: Flags,
): Promise<void> {
  await withApp(flags, async (app) => {
    const { conversations } = app;
    const deleted = permanent ? await onlyInTrash(app, name) : [];
    const [entry] = deleted;
    const id = entry?.conversationId ?? (await findAlsoDamaged(conversations, name));
    const about = entry === undefined ? await describe(conversations, id) : inTrash(entry);
    const question = `Remove ${about} permanently?`;
    if (permanent && !yes && !(await confirmOrEnd(question, 'Nothing was deleted.'))) return;
    const trashed = permanent ? undefined : await conversations.trash(id);
    await purgeDeleted(app, deleted);
    if (permanent && deleted.length === 0) await conversations.remove(id);
    const facts = { conversationId: id, deleted: true, permanent };
    report({ ...facts, ...(trashed && { trashPath: trashed.path }) }, json, () => {
      console.log(`${permanent ? 'Removed permanently' : 'Deleted'}: ${about}`);
      if (!permanent) console.log(`To restore it, run: ${daybookLine(flags, 'restore', id)}`);
    });
    if (permanent && (await archivedId(app, id)) !== undefined) {
      console.error(
        `An archive in ${app.archives.folder} still has a copy. To remove it too, delete the file of the archive.`,
      );
    }
  });
}

/** The deleted conversation with this id or key, if none that exists has this id, key or title. */
async function onlyInTrash(app: App, name: string): Promise<readonly TrashedConversation[]> {
  const isRef = TRASHED_CONVERSATION.test(name) || CLIENT_ID.test(name);
  if (!isRef || (await findExisting(app.conversations, name)) !== undefined) return [];
  return deletedAs(app, name);
}

const inTrash = ({ title, clientId, conversationId }: TrashedConversation) =>
  `${nameWithTitle(clientId ?? conversationId, title)}, which is in the trash`;

/** One line about the conversation. A damaged conversation can be deleted too. */
async function describe(store: ConversationStore, id: string): Promise<string> {
  try {
    const { head } = await store.view(id);
    const name = nameWithTitle(nameOfConversation(head), head.title);
    return `${name}, ${countOf(head.messageCount, 'message')}`;
  } catch (error) {
    const isThere = isAppError(error) && !isAppError(error, 'CONVERSATION_NOT_FOUND');
    if (!isThere) throw error;
    return `${id}, which cannot be read`;
  }
}

const nameWithTitle = (name: string, title?: string) =>
  `${oneLine(name)}${title === undefined ? '' : `, ${JSON.stringify(oneLine(title))}`}`;

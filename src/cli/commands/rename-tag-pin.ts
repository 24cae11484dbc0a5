/** `daybook rename`, `tag`, `pin` and `unpin`: change title, tags and pin of a conversation. */

import { AppError } from '../../base/errors.js';
import type { HeadChange } from '../../stores/conversations/conversations.js';
import type { ConversationHead } from '../../stores/conversations/document/schema.js';
import { updateConversation } from '../../tools/conversations/update-conversation.js';
import type { Flags } from '../configuration.js';
import { findConversation, nameOfConversation } from '../find-conversation.js';
import { report } from '../terminal/output.js';
import { oneLine } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

export interface TagOptions {
  remove?: string[];
  json?: boolean;
}

export async function rename(
  name: string,
  title: string,
  json: boolean | undefined,
  flags: Flags,
): Promise<void> {
  if (title.trim() === '') throw new AppError('VALIDATION_ERROR', 'The title is empty.');
  await change(
    name,
    () => ({ title }),
    json,
    flags,
    (head) => `Title: ${head.title}`,
  );
}

export async function pin(
  name: string,
  pinned: boolean,
  json: boolean | undefined,
  flags: Flags,
): Promise<void> {
  await change(
    name,
    () => ({ pinned }),
    json,
    flags,
    () =>
      pinned
        ? 'Pinned: Daybook never removes this conversation automatically.'
        : 'No longer pinned.',
  );
}

/** Removes the tags of `--remove`, then adds `tags`. Without both it only shows the tags. */
export async function tag(
  name: string,
  tags: readonly string[],
  { remove = [], json }: TagOptions,
  flags: Flags,
): Promise<void> {
  const isQuestion = tags.length === 0 && remove.length === 0;
  const wanted = ({ tags: before = [] }: ConversationHead): HeadChange | undefined => {
    if (isQuestion) return undefined;
    const remaining = before.filter((each) => !remove.includes(each));
    return { tags: [...new Set([...remaining, ...tags])] };
  };
  await change(name, wanted, json, flags, (head) =>
    head.tags === undefined || head.tags.length === 0
      ? 'The conversation has no tags.'
      : `Tags: ${head.tags.join(', ')}`,
  );
}

/** `wanted` returns the change for the present head, or `undefined` for no change. */
async function change(
  name: string,
  wanted: (head: ConversationHead) => HeadChange | undefined,
  json: boolean | undefined,
  flags: Flags,
  line: (head: ConversationHead) => string,
): Promise<void> {
  await withApp(flags, async (app, signal) => {
    const { conversations } = app;
    const conversationId = await findConversation(conversations, name);
    const { head: before } = await conversations.view(conversationId);
    const changes = wanted(before);
    if (changes !== undefined) {
      const input = updateConversation.input.parse({ conversationId, ...changes });
      const call = { signal, isRemote: false, progress: () => undefined };
      await updateConversation.run(input, app, call);
    }
    const { head } = await conversations.view(conversationId);
    report(head, json, () =>
      console.log(`${oneLine(nameOfConversation(head))}: ${oneLine(line(head))}`),
    );
  });
}

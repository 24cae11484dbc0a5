/** `daybook rename`, `tag`, `pin` and `unpin`: change title, tags and pin of a conversation. */

import { AppError } from '../../base/errors.js';
import { isSameJson } from '../../base/json.js';
import type { HeadChange } from '../../stores/conversations/conversations.js';
import type { ConversationHead } from '../../stores/conversations/document/schema.js';
import { distinctTags, hasTag } from '../../stores/tags.js';
import { noteOnChange, updateConversation } from '../../tools/conversations/update-conversation.js';
import { findConversation, nameOfConversation } from '../arguments/find-conversation.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import type { Flags } from '../options/configuration.js';
import { report } from '../terminal/output.js';
import { escapeControls, oneLine } from '../terminal/terminal-text.js';
import { tagsOf } from '../tools/tags.js';
import { checkedInput } from '../tools/tool-options.js';
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
    (head) => `has the title ${JSON.stringify(head.title)} now`,
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
    () => (pinned ? 'is pinned: Daybook never removes it automatically' : 'is not pinned'),
  );
}

/**
 * Removes the tags of `--remove`, then adds `tags`. Without both it only shows the tags. Exit status 1 if
 * the conversation does not have a tag of `--remove`.
 */
export async function tag(
  name: string,
  tags: readonly string[],
  { remove = [], json }: TagOptions,
  flags: Flags,
): Promise<void> {
  const added = tagsOf(tags);
  let missing: readonly string[] = [];
  const wanted = ({ tags: before = [] }: ConversationHead): HeadChange | undefined => {
    const removed = remove.flatMap((word) => (hasTag(before, word) ? [word] : tagsOf([word])));
    missing = removed.filter((each) => !hasTag(before, each));
    const after = distinctTags([...before.filter((each) => !hasTag(removed, each)), ...added]);
    return after.join('\n') === before.join('\n') ? undefined : { tags: after };
  };
  await change(name, wanted, json, flags, ({ tags: now = [] }) =>
    now.length === 0
      ? 'has no tags'
      : `has the tag${now.length === 1 ? '' : 's'} ${now.join(', ')}`,
  );
  if (missing.length === 0) return;
  const named = missing.map((each) => JSON.stringify(each)).join(', ');
  console.error(oneLine(`Not removed, because the conversation did not have it: ${named}`));
  process.exitCode = NOTHING_FOUND;
}

/**
 * `wanted` returns the change for the present head, or `undefined` for no change. `line` continues a sentence
 * that begins with the name of the conversation.
 */
async function change(
  name: string,
  wanted: (head: ConversationHead) => HeadChange | undefined,
  json: boolean | undefined,
  flags: Flags,
  line: (head: ConversationHead) => string,
): Promise<void> {
  await withApp(flags, async ({ conversations }) => {
    const conversationId = await findConversation(conversations, name);
    let { head } = await conversations.view(conversationId);
    for (let isSame = false; !isSame; ) {
      const { tags } = head;
      const changes = wanted(head);
      if (changes === undefined) break;
      const input = checkedInput(updateConversation, { conversationId, ...changes });
      const { conversationId: _, ...change } = input;
      // If another process has changed the tags meanwhile, the new list is made from the present one.
      const unless = (now: ConversationHead) => {
        isSame = change.tags === undefined || isSameJson(now.tags, tags);
        return !isSame;
      };
      head = await conversations.update(conversationId, change, { unless });
      const { note } = noteOnChange(change, head);
      if (isSame && note !== undefined) console.error(escapeControls(note));
    }
    report(head, json, () =>
      console.log(`${oneLine(nameOfConversation(head))} ${oneLine(line(head))}`),
    );
  });
}

/** The input fields that several tools of conversations share, and a conversation as an item of a list. */
import { z } from 'zod';
import { hasText, shortened, shownNames } from '../../base/text/display-text.js';
import type { ConversationHead } from '../../stores/conversations/document/schema.js';
import { distinctTags, withoutHash } from '../../stores/tags.js';

export const conversationRef = (description = 'Conversation id or key.') =>
  z.string().describe(description);

/**
 * Refuses a text of white space only. The accepted text is stored without trimming. Its length is limited
 * only by the size of a conversation (conversation-files.ts) and of a request.
 */
export const messageContent = (description: string) =>
  z.string().refine(hasText, 'The message is empty.').describe(description);

/** A title that is to be stored. */
export const titleField = z.string().max(1000);

/** The module of a new conversation; `inModule` leaves out an empty one. */
export const moduleName = z.string().max(200);

/** A module that must not be empty. */
export const namedModule = moduleName.refine(hasText, 'The module is empty.');

/** A tag that is to be stored. */
export const tagField = z
  .string()
  .min(1)
  .max(200)
  .overwrite(withoutHash)
  .refine(hasText, 'A tag must have a letter, a digit or another sign.');

/** The tags of a new conversation. Empty tags are left out, so that they do not prevent the save. */
export const newTags = z
  .array(z.string().max(200))
  .max(100)
  .overwrite((tags) => distinctTags(tags.map(withoutHash).filter(hasText)));

/** The title of a new conversation. An empty one is left out, so that a title is derived. */
export const newTitle = titleField.overwrite((title) => title.trim());

export const titled = (title: string | undefined) => (title ? { title } : {});

/** The module of a new conversation. An empty one is left out. */
export const inModule = (module: string | undefined) => (module?.trim() ? { module } : {});

export const headSchema = z.object({
  conversationId: z.string(),
  title: z.string().exactOptional(),
  module: z.string().exactOptional(),
  clientId: z.string().exactOptional(),
  pinned: z.boolean().exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  messageCount: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  branchOf: z.object({ conversationId: z.string(), messageId: z.string() }).exactOptional(),
});

const MAX_TAGS = 20;

/** Limits title, module and tags, because a stored title or tag can be longer than an answer. */
export function toListed(head: ConversationHead): z.output<typeof headSchema> {
  const { metadata: _, title, module, tags, ...others } = head;
  return {
    ...others,
    ...shownNames({ title, module }),
    ...(tags === undefined ? {} : { tags: tags.slice(0, MAX_TAGS).map(shortened) }),
  };
}

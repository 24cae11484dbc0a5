/** Inputs that several tools of conversations share, and what they show of one in a list. */
import { z } from 'zod';
import { shortened } from '../base/shortened.js';
import type { ConversationHead } from '../stores/conversations/document/schema.js';

export const conversationRef = (what = 'The conversation') =>
  z.string().describe(`${what}: id or key.`);

/** Messages of white space alone say nothing; what is stored stays exactly as given. */
export const messageContent = (about: string) =>
  z
    .string()
    .refine((text) => /\S/.test(text), 'The message is empty.')
    .describe(about);

export const headSchema = z.object({
  conversationId: z.string(),
  title: z.string().exactOptional(),
  module: z.string().exactOptional(),
  clientId: z.string().exactOptional(),
  pinned: z.boolean().exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  messageCount: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  branchOf: z.object({ conversationId: z.string(), messageId: z.string() }).exactOptional(),
});

const MOST_TAGS = 20;

/** A line of a list: what people put in a title or a tag must not fill the answer. */
export function toListed(head: ConversationHead): z.output<typeof headSchema> {
  const { metadata: _, title, module, tags, ...others } = head;
  return {
    ...others,
    ...(title === undefined ? {} : { title: shortened(title) }),
    ...(module === undefined ? {} : { module: shortened(module) }),
    ...(tags === undefined ? {} : { tags: tags.slice(0, MOST_TAGS).map(shortened) }),
  };
}

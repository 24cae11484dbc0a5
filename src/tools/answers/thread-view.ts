/**
 * A conversation as a thread: the fields that the tools of the toolset `threads` return, and what these tools
 * share: input fields, the check of a module, and times.
 */

import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import { isRecord, type JsonObject } from '../../base/json-fields.js';
import { hasText } from '../../base/text/display-text.js';
import {
  type ConversationHead,
  type Message,
  ROLES,
} from '../../stores/conversations/document/schema.js';
import { optionalFlag } from '../define-tool.js';
import { moduleName, newTags, toListed } from '../fields/conversation-input.js';
import { jsonObject } from '../fields/json-object.js';
import { estimateTokens, isCutField } from './answer-budget.js';

/** In a list; get_conversation returns longer metadata. */
const MAX_META_TOKENS = 1_000;

export const threadIdField = z
  .string()
  .min(1)
  .max(200)
  .describe('Id or key of the thread; every conversation is a thread.');

export const moduleField = moduleName
  .min(1, { abort: true })
  .refine(hasText, 'The module is empty.');

export const threadSchema = z.object({
  id: z.string().describe('Pass as threadId, or as conversationId to other tools.'),
  module: z.string().exactOptional(),
  title: z.string().exactOptional(),
  clientId: z.string().exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  messageCount: z.int(),
  pinned: z.boolean().exactOptional(),
  meta: jsonObject('tags and the other given fields.').exactOptional(),
  isMetaCut: optionalFlag('True if meta is too long; then it has only its first tags.'),
});

export const threadMessageSchema = z.object({
  id: z.string(),
  seq: z.int().describe('Position in the thread, from 1.'),
  role: z.enum(ROLES),
  content: z.string(),
  createdAt: z.string(),
  isCut: isCutField,
});

export type ThreadMessage = z.output<typeof threadMessageSchema>;

export function toThread(head: ConversationHead): z.output<typeof threadSchema> {
  const { conversationId, clientId, createdAt, updatedAt, messageCount, pinned } = head;
  const metadata = head.metadata && withoutDigests(head.metadata);
  const { module, title, tags } = toListed(head);
  const isTooLong = metadata !== undefined && estimateTokens(metadata) > MAX_META_TOKENS;
  const isMetaCut = isTooLong || tags?.length !== head.tags?.length;
  const shown = isTooLong ? undefined : metadata;
  const hasMeta = tags !== undefined || shown !== undefined;
  return {
    id: conversationId,
    ...defined({ module, title, clientId, createdAt, updatedAt, messageCount, pinned }),
    ...(hasMeta && { meta: { ...shown, ...(tags && { tags }) } }),
    ...(isMetaCut && { isMetaCut }),
  };
}

/** The digests of an import are for the next import only. In a list they would be a third of the answer. */
function withoutDigests(metadata: JsonObject): JsonObject {
  const { source } = metadata;
  if (!isRecord(source) || typeof source['said'] !== 'string') return metadata;
  return { ...metadata, source: { kind: source['kind'], id: source['id'] } };
}

export function toThreadMessage(
  { id, role, content, createdAt }: Message,
  seq: number,
): ThreadMessage {
  return { id, seq, role, content, createdAt };
}

/** Splits `meta` into tags and metadata. Throws VALIDATION_ERROR if tags cannot be the tags of a conversation. */
export function fieldsOfMeta(meta: JsonObject | undefined): {
  tags?: string[];
  metadata?: JsonObject;
} {
  if (meta === undefined) return {};
  const { tags, ...metadata } = meta;
  const others = Object.keys(metadata).length > 0 ? { metadata } : {};
  if (tags === undefined) return others;
  const known = newTags.safeParse(tags);
  if (known.success) return { tags: known.data, ...others };
  throw new AppError(
    'VALIDATION_ERROR',
    'meta.tags must be a list of at most 100 texts, each of at most 200 characters.',
    { details: { field: 'meta.tags' } },
  );
}

/** For a thread that is not in the module that the caller gave. */
export function notInModule(head: ConversationHead, module?: string): AppError {
  const { conversationId, module: own } = head;
  return new AppError(
    'CONVERSATION_NOT_FOUND',
    `The thread ${conversationId} is not in the module ${JSON.stringify(module)}.`,
    {
      hint:
        own === undefined
          ? 'The thread has no module. Call again without `module`.'
          : `The thread is in the module ${JSON.stringify(own)}. Call again with that module.`,
      details: { conversationId, module },
    },
  );
}

/** The tool `update_conversation`: changes title, tags, pin, module and metadata of a conversation. */

import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { hasText } from '../../base/text/display-text.js';
import type { HeadChange } from '../../stores/conversations/conversations.js';
import type { ConversationHead } from '../../stores/conversations/document/schema.js';
import { estimateTokens } from '../answers/answer-budget.js';
import { maskedField, noteBetween } from '../answers/masked-note.js';
import { CHANGES, defineTool, optionalFlag, success } from '../define-tool.js';
import {
  conversationRef,
  headSchema,
  namedModule,
  tagField,
  titleField,
  toListed,
} from '../fields/conversation-input.js';
import { jsonObject, storedJsonObject } from '../fields/json-object.js';

const MAX_METADATA_TOKENS = 8_000;

export const updateConversation = defineTool({
  name: 'update_conversation',
  toolset: 'conversations',
  title: 'Change title, tags, pin',
  description:
    'Changes the title, tags, pin, module or metadata of a conversation. Omitted fields are not changed.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef(),
      title: titleField
        .refine(hasText, 'The title is empty.')
        .nullable()
        .describe('New title; null removes it.')
        .exactOptional(),
      tags: z
        .array(tagField)
        .max(100)
        .describe('New tags; they replace all old tags.')
        .exactOptional(),
      pinned: optionalFlag('True: it is never pruned or archived.'),
      module: namedModule.nullable().describe('Area of work; null removes it.').exactOptional(),
      metadata: storedJsonObject(
        'Keys to set. null removes a key; other keys are not changed.',
      ).exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      ...headSchema.shape,
      metadata: jsonObject(
        'The whole metadata after the change; absent if it is very long.',
      ).exactOptional(),
      updated: z.array(z.string()).describe('The given fields.'),
      note: maskedField,
    }),
  annotations: CHANGES,
  writesLater: true,
  async run({ conversationId, ...change }, { conversations }) {
    const updated = Object.keys(change);
    if (updated.length === 0) {
      throw new AppError('VALIDATION_ERROR', 'No field to change was given.', {
        hint: 'Give `title`, `tags`, `pinned`, `module` or `metadata`.',
      });
    }
    const head = await conversations.update(conversationId, change, { mayDefer: true });
    const { metadata } = head;
    const noted = noteOnChange(change, head);
    const isShown = metadata !== undefined && estimateTokens(metadata) <= MAX_METADATA_TOKENS;
    return { ...toListed(head), ...(isShown && { metadata }), updated, ...noted };
  },
});

/** Says what of the change was not stored. */
export function noteOnChange(change: HeadChange, head: ConversationHead): { note?: string } {
  const set = Object.keys(change.metadata ?? {}).map((key) => head.metadata?.[key]);
  const fields = (['title', 'tags', 'module'] as const).map((name) => change[name] && head[name]);
  return noteBetween(change, [set, ...fields]);
}

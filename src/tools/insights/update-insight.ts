/** The tool `update_insight`: replaces content, metadata, tags or expiry of an insight. */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import {
  contentField,
  expiryOf,
  idField,
  insightSchema,
  tagsField,
  toShown,
} from '../answers/insight-view.js';
import { maskedField, noteBetween } from '../answers/masked-note.js';
import { CHANGES, defineTool, success } from '../define-tool.js';
import { storedJsonObject } from '../fields/json-object.js';

export const updateInsight = defineTool({
  name: 'update_insight',
  aliases: ['update-insight'],
  toolset: 'insights',
  title: 'Change an insight',
  description:
    'Changes the given fields of an insight. updated: false means that the insight does not exist.',
  input: () =>
    z.strictObject({
      id: idField,
      content: contentField.describe('New content.').exactOptional(),
      metadata: storedJsonObject('New metadata; it replaces all old metadata.').exactOptional(),
      tags: tagsField.describe('New tags; they replace all old tags.').exactOptional(),
      expires: z
        .string()
        .nullable()
        .describe('New expiry (ISO 8601, UTC); null: none.')
        .exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      updated: z.boolean(),
      insight: insightSchema.exactOptional(),
      note: maskedField,
    }),
  annotations: CHANGES,
  writesLater: true,
  async run({ id, expires, ...change }, { insights }) {
    if (expires === undefined && Object.keys(change).length === 0) {
      throw new AppError('VALIDATION_ERROR', 'No field to change was given.', {
        hint: 'Give `content`, `metadata`, `tags` or `expires`.',
      });
    }
    const expires_at = typeof expires === 'string' ? expiryOf(expires) : expires;
    const fields = { ...change, ...(expires_at !== undefined && { expires_at }) };
    const insight = await insights.update(id, fields, { mayDefer: true });
    const stored = Object.keys(change).map((name) => insight?.[name as keyof typeof change]);
    return {
      updated: insight !== undefined,
      ...(insight && { insight: toShown(insight) }),
      ...noteBetween(change, stored),
    };
  },
});

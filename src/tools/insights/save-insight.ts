/** The tool `save_insight`: saves a finding about one project or about all projects. */

import { z } from 'zod';
import { defined } from '../../base/json.js';
import { contextsOf } from '../../stores/insights/project-contexts.js';
import { contentField, contextField, expiryOf, tagsField } from '../answers/insight-view.js';
import { joinedNote, noteBetween } from '../answers/masked-note.js';
import { ADDS, defineTool, optionalText, success } from '../define-tool.js';
import { storedJsonObject } from '../fields/json-object.js';

const EXPIRED =
  '`expires` is in the past, so searches and lists ignore this insight. To change it, use `update_insight`.';

export const saveInsight = defineTool({
  name: 'save_insight',
  aliases: ['save-insight'],
  toolset: 'insights',
  title: 'Save an insight',
  description:
    'Saves a finding, pattern or decision about a project for later sessions, and returns when it is on the disk (otherwise with durable: false). Find it again with search_insights.',
  input: () =>
    z.strictObject({
      content: contentField.describe('The insight. It must be clear without other text.'),
      context: contextField,
      metadata: storedJsonObject(
        'JSON to store with it; its text can be searched.',
      ).exactOptional(),
      tags: tagsField.describe('Tags of the insight.').exactOptional(),
      expires: optionalText('Expiry (ISO 8601, UTC): from this time on it is ignored.'),
    }),
  output: () =>
    z.object({
      success,
      id: z.string(),
      created_at: z.int().describe('Epoch milliseconds.'),
      context: z.string().describe('The project of the insight.'),
      note: optionalText('What was not stored, such as secrets, or that it is expired already.'),
    }),
  annotations: ADDS,
  writesLater: true,
  async run({ content, context: given, metadata, tags, expires }, { insights }, call) {
    const { context } = await contextsOf(given, call, insights);
    const expires_at = expires === undefined ? undefined : expiryOf(expires);
    const fields = defined({ content, context, metadata, tags, expires_at });
    const saved = await insights.save(fields, { mayDefer: true });
    const note = noteBetween(
      [content, metadata, tags, context],
      [saved.content, saved.metadata, saved.tags, saved.context],
    );
    const isExpired = saved.expires_at !== undefined && saved.expires_at <= saved.created_at;
    return {
      id: saved.id,
      created_at: saved.created_at,
      context: saved.context,
      ...joinedNote([note.note, isExpired ? EXPIRED : undefined]),
    };
  },
});

/** The tool `save_insight`: keeps a finding about a project, or about all of them. */
import { z } from 'zod';
import { ADDS, defineTool, success } from '../define-tool.js';
import { contentField, contextField, contextsOf, expiryOf, tagsField } from '../insight-view.js';
import { jsonObject } from '../json-object.js';
import { maskedField, noteBetween } from '../masked-note.js';

export const saveInsight = defineTool({
  name: 'save_insight',
  aliases: ['save-insight'],
  toolset: 'insights',
  title: 'Save an insight',
  description:
    'Keeps a finding, pattern or decision about a project for later sessions; answers when it is safe on disk, or says durable: false. Find it again with search_insights.',
  input: () =>
    z.strictObject({
      content: contentField.describe('The insight; it must be clear without other text.'),
      context: contextField,
      metadata: jsonObject('Any JSON object to keep with it; searched too.').exactOptional(),
      tags: tagsField.describe('Words to group it by.').exactOptional(),
      expires: z.string().describe('ISO 8601; ignored from then on.').exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      id: z.string(),
      created_at: z.number().int().describe('Epoch milliseconds.'),
      context: z.string().describe('Where it was put.'),
      note: maskedField,
    }),
  annotations: ADDS,
  writesLater: true,
  async run({ content, context: given, metadata, tags, expires }, { insights }, call) {
    const { context } = await contextsOf(given, call, insights);
    const fields = {
      content,
      context,
      ...(metadata !== undefined && { metadata }),
      ...(tags !== undefined && { tags }),
      ...(expires !== undefined && { expires_at: expiryOf(expires) }),
    };
    const saved = await insights.save(fields, { mayDefer: true });
    const note = noteBetween(
      [content, metadata, tags],
      [saved.content, saved.metadata, saved.tags],
    );
    return { id: saved.id, created_at: saved.created_at, context: saved.context, ...note };
  },
});

/** The tool `export_conversations`: conversations in a format, in pages or as a file in the exports folder. */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import type { Damaged, ExportRequest } from '../../exchange/export.js';
import { EXPORT_FORMATS } from '../../exchange/export-formats.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import { noSuchModule } from '../../stores/modules.js';
import { estimateTokens, maxTokens, OVERHEAD_TOKENS } from '../answers/answer-budget.js';
import { joinedNote } from '../answers/masked-note.js';
import {
  ADDS,
  defineTool,
  factsThenText,
  flag,
  optionalInt,
  optionalText,
  success,
  type ToolCall,
} from '../define-tool.js';
import { dateField, spanOf } from '../fields/date-field.js';

const MAX_DAMAGED = 20;

const input = () =>
  z.strictObject({
    format: z.enum(EXPORT_FORMATS).describe('Format of the text.').default('markdown'),
    conversationIds: z
      .array(z.string())
      .min(1)
      .max(1000)
      .describe('Ids or keys of conversations (default: all).')
      .exactOptional(),
    module: optionalText('Only conversations of this module.'),
    startDate: dateField('Only conversations that continued after this time'),
    endDate: dateField('Only conversations that started before this time'),
    forSharing: flag(
      'For other people: leave out system messages, metadata except cited web pages, keys of conversations and links between them.',
    ),
    file: optionalText('Name of a new file in the exports folder.'),
    maxTokens,
    cursor: optionalText('nextCursor of the previous page; not with file.'),
  });

export const exportConversations = defineTool({
  name: 'export_conversations',
  toolset: 'conversations',
  title: 'Export conversations',
  description:
    'Returns conversations as text, or with file writes them to the exports folder. json, jsonl and openai are complete and can be imported again; markdown is for reading.',
  input,
  output: () =>
    z.object({
      success,
      nextCursor: optionalText('Pass as cursor for the next page.'),
      hasMore: z.boolean(),
      path: optionalText('The file that was written.'),
      sizeBytes: z.int(),
      conversations: z.int().describe('Number of conversations in this text or file.'),
      messages: z.int(),
      attachmentsNotIncluded: optionalInt(
        'Attachments of these conversations. Of all exports, only the format markdown-files of daybook export has them.',
      ),
      total: optionalInt('Selected conversations, on all pages.'),
      note: optionalText('Why the export is empty.'),
      tooLong: z
        .array(z.object({ conversationId: z.string(), sizeBytes: z.int() }))
        .describe('Conversations that are too long for an answer: use file to export them.')
        .exactOptional(),
      damaged: z
        .array(z.object({ conversationId: z.string(), code: z.string() }))
        .describe(
          'Conversations that cannot be read and are not in the export (at most 20 are named).',
        ),
      damagedTotal: z.int(),
      text: z.string().exactOptional(),
    }),
  annotations: ADDS,
  quotesText: true,
  async run(given, { exporter, conversations }, { signal, progress }) {
    const request = requestOf(given, signal, progress);
    const note = async (count: number) =>
      joinedNote([count === 0 ? await noSuchModule(conversations, given.module) : undefined]);
    if (given.file !== undefined) {
      const { damaged, attachments, ...written } = await exporter.toFile(given.file, request);
      const rest = { ...notIncluded(attachments), ...named(damaged) };
      return { hasMore: false, ...written, ...(await note(written.conversations)), ...rest };
    }
    const room = { max: given.maxTokens - OVERHEAD_TOKENS, measure: estimateTokens };
    const { damaged, attachments, nextAfter, ...page } = await exporter.toText(request, room);
    return {
      ...(nextAfter !== undefined && { nextCursor: nextAfter }),
      hasMore: nextAfter !== undefined,
      sizeBytes: Buffer.byteLength(page.text),
      ...page,
      ...(await note(page.conversations)),
      ...notIncluded(attachments),
      ...named(damaged),
    };
  },
  text: factsThenText,
});

type Input = z.output<ReturnType<typeof input>>;

function requestOf(
  { format, forSharing, conversationIds, module, startDate, endDate, cursor, file }: Input,
  signal: AbortSignal,
  progress: ToolCall['progress'],
): ExportRequest {
  const isUsable = file === undefined && CONVERSATION_ID.test(cursor ?? '');
  if (cursor !== undefined && !isUsable) {
    throw new AppError(
      'VALIDATION_ERROR',
      '`cursor` must be nextCursor of the previous page, and cannot be used with `file`.',
      {
        details: { field: 'cursor' },
      },
    );
  }
  const { start: startTime, end: endTime } = spanOf({ startDate, endDate });
  return {
    format,
    forSharing,
    signal,
    selection: { refs: conversationIds, module, startTime, endTime, after: cursor },
    onProgress: (done, total) =>
      (done % 50 === 0 || done === total) && progress({ progress: done, total }),
  };
}

const notIncluded = (attachments: number) =>
  attachments > 0 ? { attachmentsNotIncluded: attachments } : {};

const named = (damaged: readonly Damaged[]) => ({
  damaged: damaged
    .slice(0, MAX_DAMAGED)
    .map(({ conversationId, error: { code } }) => ({ conversationId, code })),
  damagedTotal: damaged.length,
});

/** The tool `get_context_summary`: returns summaries of several conversations or of a time range. */

import { z } from 'zod';
import { defined } from '../../base/json.js';
import { countOf } from '../../base/text/display-text.js';
import {
  hasMessageIn,
  type Span,
  type SpanSummary,
  summaryInSpan,
} from '../../context/summaries/time-span-summary.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { damagedNotes } from '../../stores/conversations/damaged-notes.js';
import type { ConversationHead } from '../../stores/conversations/document/schema.js';
import { fitsModule, noSuchModule } from '../../stores/modules.js';
import { SUMMARY_LEVELS } from '../../stores/summaries/summary-file.js';
import { estimateTokens, maxTokens, OVERHEAD_TOKENS } from '../answers/answer-budget.js';
import { joinedNote } from '../answers/masked-note.js';
import {
  defineTool,
  optionalFlag,
  optionalInt,
  optionalText,
  READS,
  success,
} from '../define-tool.js';
import { headSchema, toListed } from '../fields/conversation-input.js';
import { spanOf } from '../fields/date-field.js';

const item = z.object({
  ...headSchema.pick({ conversationId: true, title: true, module: true, updatedAt: true }).shape,
  messages: z.int().describe('Number of messages that were summarised.'),
  isPart: optionalFlag('True if only a part of the conversation is in the time range.'),
  isStale: optionalFlag('The conversation has newer messages.'),
  text: z.string(),
});

const input = () =>
  z.strictObject({
    conversationIds: z
      .array(z.string())
      .min(1)
      .max(100)
      .describe('Ids or keys of conversations.')
      .exactOptional(),
    module: optionalText('Only conversations of this module.'),
    startDate: optionalText('Start of the time range (ISO 8601, UTC).'),
    endDate: optionalText('End of the time range (ISO 8601, UTC).'),
    level: z.enum(SUMMARY_LEVELS).describe('Length of each summary.').default('brief'),
    offset: z.int().min(0).describe('nextOffset of the previous page.').default(0),
    maxTokens,
  });

export const getContextSummary = defineTool({
  name: 'get_context_summary',
  toolset: 'context',
  title: 'Summaries of conversations',
  description:
    'Returns summaries of several conversations, or of all conversations in a time range, most recently changed first.',
  input,
  output: () =>
    z.object({
      success,
      nextOffset: optionalInt('Pass as offset for the next page.'),
      hasMore: z.boolean(),
      total: z
        .int()
        .describe('Selected conversations with a message in the time range, on all pages.'),
      note: optionalText('Why summaries may be missing.'),
      conversations: z.array(item),
    }),
  annotations: READS,
  quotesText: true,
  async run(given, { conversations, summaries, search }, call) {
    const { signal, progress } = call;
    const span = spanOf({ startDate: given.startDate, endDate: given.endDate });
    const candidates = await candidatesOf(conversations, given);
    await search.built(call);
    const heads = candidates.filter(({ conversationId }) => {
      const indexed = search.index.get(conversationId);
      return indexed !== undefined && hasMessageIn(span, indexed);
    });
    const shown: z.output<typeof item>[] = [];
    let room = given.maxTokens - OVERHEAD_TOKENS;
    let at = Math.min(given.offset, heads.length);
    let gone = 0;
    for (; at < heads.length; at += 1) {
      signal.throwIfAborted();
      const head = heads[at];
      const request = { level: given.level, span, signal };
      const found = head && (await summaryInSpan(head, request, { conversations, summaries }));
      progress({ progress: at + 1, total: heads.length });
      if (found === undefined) {
        gone += 1;
        continue;
      }
      const view = toItem(found);
      room -= estimateTokens(view);
      if (room < 0 && shown.length > 0) break;
      shown.push(view);
    }
    const hasMore = at < heads.length;
    const none = async () => (await noSuchModule(conversations, given.module)) ?? noMessage(span);
    const total = heads.length - gone;
    const why = gone > 0 ? goneNote(gone) : total === 0 ? await none() : undefined;
    const notes = [why, ...damagedNotes(conversations)];
    return {
      ...(hasMore && { nextOffset: at }),
      hasMore,
      total,
      ...joinedNote(notes),
      conversations: shown,
    };
  },
});

const noMessage = ({ start, end }: Span) =>
  `No selected conversation has a message of a user or an assistant${(start ?? end) !== undefined ? ' in the time range' : ''}.`;

/** Another process has deleted them, or the store is away and they are not in memory. */
const goneNote = (count: number) =>
  `${countOf(count, 'conversation')} cannot be read now and may have been deleted.`;

type Input = z.output<ReturnType<typeof input>>;

/** Throws CONVERSATION_NOT_FOUND for an unknown id or key. */
async function candidatesOf(store: ConversationStore, { conversationIds, module }: Input) {
  const all = await store.list();
  const ids = conversationIds && new Set<string>();
  for (const ref of conversationIds ?? []) ids?.add((await store.view(ref)).head.conversationId);
  return all.filter(
    (head: ConversationHead) =>
      (ids === undefined || ids.has(head.conversationId)) && fitsModule(head.module, module),
  );
}

function toItem({ head, messages, isPart, isStale, text }: SpanSummary): z.output<typeof item> {
  const { conversationId, title, module, updatedAt } = toListed(head);
  return {
    ...defined({ conversationId, title, module, updatedAt, messages }),
    ...(isPart && { isPart }),
    ...(isStale && { isStale }),
    text,
  };
}

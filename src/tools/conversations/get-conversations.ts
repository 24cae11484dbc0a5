/**
 * The tool `get_conversations`: the list of conversations, newest first, filtered and in pages that
 * stay stable while messages arrive.
 */
import { z } from 'zod';
import type { ListQuery } from '../../stores/conversations.js';
import { countWithin, maxTokens } from '../answer-budget.js';
import { headSchema, toListed } from '../conversation-input.js';
import { dateField, endOf, startOf } from '../date-field.js';
import { defineTool, READS, success } from '../define-tool.js';

const input = z.strictObject({
  query: z
    .string()
    .max(1000)
    .describe('Words that title and tags must have, all of them; beginnings of words will do.')
    .exactOptional(),
  module: z.string().describe('Only conversations of this module.').exactOptional(),
  pinned: z.boolean().describe('Only pinned ones (true) or unpinned ones (false).').exactOptional(),
  updatedAfter: dateField('Only those changed from this time on'),
  updatedBefore: dateField('Only those last changed up to this time'),
  createdAfter: dateField('Only those begun from this time on'),
  createdBefore: dateField('Only those begun up to this time'),
  limit: z.number().int().min(1).max(100).describe('Most conversations to give.').default(50),
  cursor: z
    .string()
    .max(200)
    .describe('nextCursor or previousCursor of an earlier page, with the same filters.')
    .exactOptional(),
  maxTokens,
});

export const getConversations = defineTool({
  name: 'get_conversations',
  toolset: 'conversations',
  title: 'List conversations',
  description:
    'Lists conversations, the last changed first, by words in title and tags, module, dates or pin. For what was said inside them use search_messages. Follow nextCursor for more: the list stays as it was when it began, while messages arrive. Read one with get_conversation.',
  input,
  output: z.object({
    success,
    total: z.number().int().describe('Matching conversations on all pages.'),
    hasMore: z.boolean(),
    nextCursor: z.string().describe('Pass as cursor for the next page.').exactOptional(),
    previousCursor: z.string().describe('Pass as cursor for the page before.').exactOptional(),
    conversations: z.array(headSchema),
  }),
  annotations: READS,
  quotesText: true,
  async run({ limit, cursor, maxTokens: budget, ...filters }, { conversations }) {
    const { conversations: heads, ...page } = await conversations.page(toQuery(filters), {
      limit,
      ...(cursor === undefined ? {} : { cursor }),
      countFitting: (found) => countWithin(found.map(toListed), budget),
    });
    return { ...page, conversations: heads.map(toListed) };
  },
});

type Filters = Omit<z.output<typeof input>, 'limit' | 'cursor' | 'maxTokens'>;

function toQuery(filters: Filters): ListQuery {
  const { query, module, pinned } = filters;
  const { updatedAfter, updatedBefore, createdAfter, createdBefore } = filters;
  return {
    ...(query !== undefined && { words: query }),
    ...(module !== undefined && { module }),
    ...(pinned !== undefined && { pinned }),
    ...(updatedAfter !== undefined && { updatedFrom: startOf('updatedAfter', updatedAfter) }),
    ...(updatedBefore !== undefined && { updatedTo: endOf('updatedBefore', updatedBefore) }),
    ...(createdAfter !== undefined && { createdFrom: startOf('createdAfter', createdAfter) }),
    ...(createdBefore !== undefined && { createdTo: endOf('createdBefore', createdBefore) }),
  };
}

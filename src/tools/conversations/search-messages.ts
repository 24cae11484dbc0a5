/**
 * The tool `search_messages`: full-text search over every message, in SQLite FTS5's query language
 * or in plain words, with filters, pages and snippets.
 */
import { z } from 'zod';
import { shortened } from '../../base/shortened.js';
import type { MessageFilters, MessageHit } from '../../search/message-search.js';
import { MATCH_TYPES } from '../../search/search-modes.js';
import { ROLES } from '../../stores/conversations/schema.js';
import { estimateTokens } from '../answer-budget.js';
import { dateField, endOf, startOf } from '../date-field.js';
import { defineTool, READS, success } from '../define-tool.js';
import { SEARCH_FACTS, searchFacts, shortSnippet } from '../search-answer.js';

/** Of snippets and contents, whatever the limit. */
const MAX_ANSWER_TOKENS = 7_800;

export const searchMessages = defineTool({
  name: 'search_messages',
  toolset: 'conversations',
  title: 'Search messages',
  description:
    'Finds messages in all conversations, best match first, each with a snippet. Give plain words, or SQLite FTS5 syntax: "a phrase", prefix*, AND, OR, NOT, NEAR(a b, 5), role : user. Words that no message has all of are searched one by one (relaxed: true). Read the whole exchange with get_conversation.',
  input: z.strictObject({
    query: z.string().min(1).max(10_000).describe('Words, or an FTS5 query.'),
    matchType: z
      .enum(MATCH_TYPES)
      .describe(
        'auto: as described above. fts5: exactly FTS5, with syntax errors reported. exact: one phrase. prefix: every word is a beginning. any: one of the words is enough. fuzzy: forgives typing errors.',
      )
      .default('auto'),
    conversationId: z.string().describe('Only this conversation (id or key).').exactOptional(),
    module: z.string().max(1000).describe('Only conversations of this module.').exactOptional(),
    role: z.enum(ROLES).describe('Only messages of this role.').exactOptional(),
    startDate: dateField('Only messages from this time on'),
    endDate: dateField('Only messages up to this time'),
    limit: z.number().int().min(1).max(100).describe('Most results to give.').default(20),
    offset: z.number().int().min(0).describe('Results to pass over.').default(0),
    includeContent: z
      .boolean()
      .describe('Also give each whole message, as far as the answer has room.')
      .default(false),
    highlightStart: z.string().max(40).describe('Put before a match.').default('<mark>'),
    highlightEnd: z.string().max(40).describe('Put after a match.').default('</mark>'),
    snippetTokens: z.number().int().min(1).max(64).describe('Length of a snippet.').default(32),
  }),
  output: z.object({
    success,
    total: z.number().int().describe('All matches, on whatever page.'),
    results: z.array(
      z.object({
        conversationId: z.string(),
        messageId: z.string(),
        seq: z.number().int(),
        role: z.enum(ROLES),
        createdAt: z.string(),
        title: z.string().exactOptional(),
        module: z.string().exactOptional(),
        snippet: z.string(),
        content: z.string().exactOptional(),
        rank: z.number().describe("FTS5's bm25(): the smaller, the better."),
      }),
    ),
    ...SEARCH_FACTS,
  }),
  annotations: READS,
  quotesText: true,
  async run(input, { conversations, search }, { signal, progress }) {
    const { query, matchType, limit, offset, highlightStart, highlightEnd } = input;
    const idOf = async (ref: string) => (await conversations.load(ref)).conversationId;
    const filters = await filtersOf(input, idOf);
    const snippet = { open: highlightStart, close: highlightEnd, tokens: input.snippetTokens };
    const found = await search.search(
      { query, matchType, filters, limit, offset, snippet },
      { signal, progress },
    );
    const { results, isCut } = withinBounds(found.hits, input);
    const last = isCut ? found.hits[results.length - 1]?.place : undefined;
    const next = last === undefined ? offset + limit : last + 1;
    return { total: found.total, ...searchFacts(found, next, FILTER_NAMES), results };
  },
});

export interface FilterInput {
  conversationId?: string;
  module?: string;
  role?: (typeof ROLES)[number];
  startDate?: string;
  endDate?: string;
}

/** VALIDATION_ERROR for what is no time; what `resolve` throws. */
export async function filtersOf(
  { conversationId, module, role, startDate, endDate }: FilterInput,
  resolve: (ref: string) => Promise<string>,
): Promise<MessageFilters> {
  return {
    ...(conversationId !== undefined && { conversationId: await resolve(conversationId) }),
    ...(module !== undefined && { module }),
    ...(role !== undefined && { role }),
    ...(startDate !== undefined && { startTime: startOf('startDate', startDate) }),
    ...(endDate !== undefined && { endTime: endOf('endDate', endDate) }),
  };
}

interface Shape {
  readonly includeContent: boolean;
  readonly highlightStart: string;
}

/** At least one result; the rest, and whole messages, as far as the answer has room. */
function withinBounds(hits: readonly MessageHit[], { includeContent, highlightStart }: Shape) {
  let room = MAX_ANSWER_TOKENS;
  const results = [];
  for (const { content, place: _place, ...hit } of hits) {
    const result = {
      ...hit,
      ...(hit.title !== undefined && { title: shortened(hit.title) }),
      ...(hit.module !== undefined && { module: shortened(hit.module) }),
      snippet: shortSnippet(hit.snippet, highlightStart),
    };
    room -= estimateTokens(result) + 1;
    if (room < 0 && results.length > 0) break;
    const contentSize = includeContent ? estimateTokens(content) + 3 : 0;
    const hasRoom = includeContent && contentSize <= room;
    if (includeContent && !hasRoom && results.length > 0) break;
    if (hasRoom) room -= contentSize;
    results.push({ ...result, ...(hasRoom && { content }) });
  }
  return { results, isCut: results.length < hits.length };
}

/** How the arguments are called that the index knows by other names. */
export const FILTER_NAMES: Record<string, string> = {
  startTime: 'startDate',
  endTime: 'endDate',
  all: 'any filter',
};

/**
 * The tool `search_messages`: searches all messages, with filters, pages and snippets. A query in SQLite
 * FTS5 syntax searches by keyword. Plain words also match other forms of the words, and the messages
 * beside a match count too.
 */

import { z } from 'zod';
import { notIncluded } from '../../app/not-found-hints.js';
import type { App } from '../../app.js';
import { defined } from '../../base/json.js';
import { shownNames } from '../../base/text/display-text.js';
import { MATCH_TYPES } from '../../fts/query/match-type-names.js';
import type { ModeResults } from '../../search/message-search.js';
import type { MessageFilters } from '../../search/messages/message-filters.js';
import { SEARCH_MODES, SEARCH_TIERS } from '../../search/search-names.js';
import { ROLES } from '../../stores/conversations/document/schema.js';
import { noSuchModule } from '../../stores/modules.js';
import { estimateTokens } from '../answers/answer-budget.js';
import { joinedNote } from '../answers/masked-note.js';
import { emptyTimeNote, TRY_ACTIVITY, TRY_FUZZY } from '../answers/no-results.js';
import {
  includeMetadata,
  MARK_FIELDS,
  type MarkInput,
  marksOf,
  metadataField,
  operatorNote,
  SEARCH_OUTPUT_FIELDS,
  searchOutput,
  shortSnippet,
  shownMetadata,
  whySchema,
} from '../answers/search-answer.js';
import { defineTool, flag, optionalText, READS, success, type ToolCall } from '../define-tool.js';
import { dateField, spanOf } from '../fields/date-field.js';

/** Of all snippets and contents together, independent of `limit`. */
const MAX_ANSWER_TOKENS = 7_800;

export const searchMessages = defineTool({
  name: 'search_messages',
  toolset: 'conversations',
  title: 'Search messages',
  description:
    'Finds messages in all conversations, best first, with snippets; relaxed: true means that no message has all words. The query is plain words or a question (other forms of the words are found too), or SQLite FTS5 syntax: "a phrase", prefix*, AND, OR, NOT, NEAR(a b, 5), role : user.',
  input: () =>
    z.strictObject({
      query: z
        .string()
        .min(1)
        .max(10_000)
        .describe('Words, a question (it may name a time, such as "last week"), or an FTS5 query.'),
      matchType: z
        .enum(MATCH_TYPES)
        .describe(
          'auto: FTS5, or plain words if the syntax is invalid. fts5: reports invalid syntax. exact: one phrase. prefix: beginnings of words. any: one word is enough. fuzzy: allows typing errors.',
        )
        .exactOptional(),
      mode: z
        .enum(SEARCH_MODES)
        .describe('auto: by keyword for FTS5 syntax or a matchType, otherwise also by meaning.')
        .default('auto'),
      explain: flag('Show why each result was found.'),
      conversationId: optionalText('Only this conversation (id or key).'),
      module: z.string().max(1000).describe('Only conversations of this module.').exactOptional(),
      tag: z.string().max(200).describe('Only conversations with this tag.').exactOptional(),
      role: z.enum(ROLES).describe('Only messages of this role.').exactOptional(),
      activity: flag('Search tool calls, thinking and cited pages instead of texts.'),
      startDate: dateField('Only messages at or after this time'),
      endDate: dateField('Only messages at or before this time'),
      limit: z.int().min(1).max(100).describe('Maximum number of results.').default(20),
      offset: z.int().min(0).describe('Number of results to skip.').default(0),
      includeContent: flag('Also return whole messages that fit into the answer.'),
      includeMetadata,
      ...MARK_FIELDS,
      snippetTokens: z.int().min(1).max(64).describe('Length of a snippet.').default(32),
    }),
  output: () =>
    z.object({
      success,
      total: z.int().describe('Number of matches on all pages.'),
      results: z.array(
        z.object({
          conversationId: z.string(),
          messageId: z.string(),
          seq: z.int(),
          role: z.enum(ROLES),
          createdAt: z.string(),
          title: z.string().exactOptional(),
          module: z.string().exactOptional(),
          snippet: z.string(),
          content: z.string().exactOptional(),
          metadata: metadataField.exactOptional(),
          rank: z
            .number()
            .describe(
              'Smaller is better. First come messages with all of the keywords, with the bm25() of FTS5, then others with the negative score of recall. The two scales cannot be compared.',
            ),
          why: whySchema.exactOptional(),
        }),
      ),
      tier: z.enum(SEARCH_TIERS).describe('The search method.'),
      ...SEARCH_OUTPUT_FIELDS,
    }),
  annotations: READS,
  quotesText: true,
  needsStore: ({ activity }) => activity, // it reads all files that pass the filters
  async run(input, app, call) {
    const found = await foundMessages(input, app, call, {
      maxTokens: MAX_ANSWER_TOKENS,
      ...(input.matchType === undefined && { ifUnknown: TRY_FUZZY }),
    });
    if (found.explanation === undefined || input.conversationId !== undefined) return found;
    return { ...found, explanation: [found.explanation, ...(await notIncluded(app))].join(' ') };
  },
});

const BY_WORDS =
  'Embeddings could not be used (there are none, or the model did not answer in time), so the search compared only words and their forms, not meanings. `store_info` shows their state.';

const UNREAD =
  'The messages that match are not shown, because their files cannot be read now. `store_info` shows why.';

interface SearchInput extends FilterInput, ResultOptions {
  readonly query: string;
  readonly matchType?: (typeof MATCH_TYPES)[number];
  readonly mode: (typeof SEARCH_MODES)[number];
  readonly activity: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly snippetTokens: number;
}

/**
 * The answer of the tool in at most `maxTokens` tokens. `ifUnknown`: see `explainNoResults`. `limit` may be
 * greater than the schema allows: a caller that wants all results then gets them from one ranking, and not from
 * one ranking for each page.
 */
export async function foundMessages(
  input: SearchInput,
  { conversations, messageSearch }: Pick<App, 'conversations' | 'messageSearch'>,
  { signal, progress }: Pick<ToolCall, 'signal' | 'progress'>,
  { maxTokens, ifUnknown }: { readonly maxTokens: number; readonly ifUnknown?: string },
) {
  const { query, matchType, mode, activity, limit, offset } = input;
  const filters = await filtersOf(input, conversations);
  const snippet = { ...marksOf(input), tokens: input.snippetTokens };
  const found = await messageSearch.search(
    { query, mode, activity, ...(matchType && { matchType }), filters, limit, offset, snippet },
    { signal, progress },
  );
  const { results, isCut } = resultsWithin(found.hits, input, maxTokens);
  const last = isCut ? found.hits[results.length - 1]?.position : undefined;
  const next = last === undefined ? offset + limit : last + 1;
  const output = searchOutput(found, next, FILTER_NAMES, {
    query,
    searchedPart: activity ? activityPart(filters) : undefined,
    damaged: conversations.damaged().length,
    ifUnknown: ifUnknown && (activity ? ifUnknown : `${ifUnknown} ${TRY_ACTIVITY}`),
  });
  const isByWords = (mode === 'semantic' || mode === 'hybrid') && found.tier !== 'vectors';
  // Without this, an answer with a total and no results looks like a contradiction.
  const isUnread = found.hits.length === 0 && found.total > offset;
  const note = joinedNote([
    found.total > 0 ? emptyTimeNote(found, true) : undefined,
    operatorNote(input, messageSearch),
    output.note,
    isByWords ? BY_WORDS : undefined,
    isUnread ? UNREAD : undefined,
  ]);
  const unused = output.explanation && (await noSuchModule(conversations, input.module));
  const explanation = unused && { explanation: `${output.explanation} ${unused}` };
  return { total: found.total, tier: found.tier, ...output, ...explanation, ...note, results };
}

/** A search of activity reads only what passes the filters, so it does not know what else has the words. */
function activityPart(filters: MessageFilters): string {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return `tool call, thinking or cited page${isFiltered ? ' that passes the filters' : ''}`;
}

export interface FilterInput {
  conversationId?: string;
  module?: string;
  tag?: string;
  role?: (typeof ROLES)[number];
  startDate?: string;
  endDate?: string;
}

/** Throws VALIDATION_ERROR for an invalid time, and CONVERSATION_NOT_FOUND. */
export async function filtersOf(
  { conversationId: ref, module, tag, role, startDate, endDate }: FilterInput,
  conversations: App['conversations'],
): Promise<MessageFilters> {
  const { start: startTime, end: endTime } = spanOf({ startDate, endDate });
  const found = ref === undefined ? undefined : await conversations.view(ref);
  const conversationId = found?.head.conversationId;
  return defined({ conversationId, module, tag, role, startTime, endTime });
}

interface ResultOptions extends MarkInput {
  readonly explain: boolean;
  readonly includeContent: boolean;
  readonly includeMetadata: boolean;
}

/** Returns at least one result, and as many results and whole messages as fit into the answer. */
function resultsWithin(hits: ModeResults['hits'], options: ResultOptions, maxTokens: number) {
  const { includeContent, explain } = options;
  let room = maxTokens;
  const results = [];
  for (const { content, metadata, position: _position, why, ...hit } of hits) {
    const result = {
      ...hit,
      ...shownNames(hit),
      snippet: shortSnippet(hit.snippet, options),
      ...shownMetadata(metadata, options.includeMetadata),
      ...(explain && { why }),
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

/** The arguments that have another name in the index; index name to argument. */
const FILTER_NAMES: Record<string, string> = {
  startTime: 'startDate',
  endTime: 'endDate',
};

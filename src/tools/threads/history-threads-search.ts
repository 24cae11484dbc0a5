/** The tool `history_threads_search`: full-text search that returns threads with their best messages. */
import { z } from 'zod';
import { MATCH_TYPES } from '../../fts/query/match-type-names.js';
import type { ConversationHits } from '../../search/messages/keyword-search.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { ROLES } from '../../stores/conversations/document/schema.js';
import { noSuchModule } from '../../stores/modules.js';
import { countWithin, estimateTokens, maxTokens } from '../answers/answer-budget.js';
import {
  includeMetadata,
  MARK_FIELDS,
  type MarkInput,
  marksOf,
  metadataField,
  SEARCH_OUTPUT_FIELDS,
  searchOutput,
  shortSnippet,
  shownMetadata,
} from '../answers/search-answer.js';
import { moduleField, threadSchema, toThread } from '../answers/thread-view.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';
import { startOf } from '../fields/date-field.js';

const MAX_MATCHES = 20;

export const historyThreadsSearch = defineTool({
  name: 'history_threads_search',
  aliases: ['odei.history.threads.search.v1'],
  toolset: 'threads',
  title: 'Search threads',
  description:
    'Finds threads by the text of their messages, best first, each with its best messages. The query is plain words or FTS5 syntax. search_messages also finds other forms of the words.',
  input: () =>
    z.strictObject({
      q: z.string().min(1).max(10_000).describe('Words, or an FTS5 query.'),
      module: moduleField.describe('Only threads of this module.').exactOptional(),
      since: optionalText('Only messages at or after this time (ISO 8601, UTC).'),
      matchType: z.enum(MATCH_TYPES).describe('As in search_messages.').default('auto'),
      limit: z.int().min(1).max(100).describe('Maximum number of threads.').default(10),
      offset: z.int().min(0).describe('Number of threads to skip.').default(0),
      matchesPerThread: z
        .int()
        .min(1)
        .max(MAX_MATCHES)
        .describe('Maximum number of messages of each thread.')
        .default(3),
      includeMetadata,
      ...MARK_FIELDS,
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      total: z.int().describe('Number of threads with a match on all pages.'),
      results: z.array(
        z.object({
          thread: threadSchema,
          matchCount: z.int().describe('Number of messages of the thread that match.'),
          matchedMessages: z.array(
            z.object({
              id: z.string(),
              seq: z.int(),
              role: z.enum(ROLES),
              createdAt: z.string(),
              snippet: z.string(),
              metadata: metadataField.exactOptional(),
            }),
          ),
        }),
      ),
      ...SEARCH_OUTPUT_FIELDS,
    }),
  annotations: READS,
  quotesText: true,
  async run(input, { conversations, search }, { signal, progress }) {
    const { q: query, module, since, matchType, limit, offset } = input;
    const filters = {
      ...(module !== undefined && { module }),
      ...(since !== undefined && { startTime: startOf('since', since) }),
    };
    const found = await search.searchConversations(
      { query, matchType, filters, limit, offset, snippet: marksOf(input) },
      input.matchesPerThread,
      { signal, progress },
    );
    const all = found.conversations.flatMap((hit) => toResult(hit, conversations, input));
    const results = all.slice(0, countWithin(all, input.maxTokens));
    // A thread that was deleted since the search still counts for the offset.
    const passed = results.length === all.length ? limit : results.length;
    const next = found.conversations.length === 0 ? found.total : offset + passed;
    const searched = { query, damaged: conversations.damaged().length };
    const output = searchOutput(found, next, { startTime: 'since' }, searched);
    const unused = output.explanation && (await noSuchModule(conversations, module));
    const explanation = unused && { explanation: `${output.explanation} ${unused}` };
    return { total: found.total, ...output, ...explanation, results };
  },
});

function toResult(
  { conversationId, matchCount, hits }: ConversationHits,
  store: ConversationStore,
  input: MarkInput & { maxTokens: number; includeMetadata: boolean },
) {
  const head = store.knownHead(conversationId);
  if (head === undefined) return [];
  const matchedMessages = hits.map(({ messageId: id, seq, role, createdAt, ...hit }) => ({
    id,
    seq,
    role,
    createdAt,
    snippet: shortSnippet(hit.snippet, input),
    ...shownMetadata(hit.metadata, input.includeMetadata),
  }));
  const thread = toThread(head);
  const room = input.maxTokens - estimateTokens(thread);
  const shown = matchedMessages.slice(0, countWithin(matchedMessages, room));
  return [{ thread, matchCount, matchedMessages: shown }];
}

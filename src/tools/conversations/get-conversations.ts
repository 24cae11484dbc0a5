/**
 * The tool `get_conversations`: lists conversations, filtered and in pages. New messages between two
 * calls do not move a conversation to another page. If no conversation has the words of `query`,
 * quick find returns those with similar words.
 */

import { z } from 'zod';
import { notIncluded } from '../../app/not-found-hints.js';
import type { App } from '../../app.js';
import { defined } from '../../base/json.js';
import { countOf } from '../../base/text/display-text.js';
import type { ListQuery } from '../../stores/conversations/conversations.js';
import { damagedNotes } from '../../stores/conversations/damaged-notes.js';
import { predicateOf } from '../../stores/conversations/listing/list-query.js';
import { noSuchModule } from '../../stores/modules.js';
import { countWithin, maxTokens } from '../answers/answer-budget.js';
import { joinedNote } from '../answers/masked-note.js';
import { wordlessNote } from '../answers/no-results.js';
import { defineTool, optionalFlag, optionalText, READS, success } from '../define-tool.js';
import { headSchema, toListed } from '../fields/conversation-input.js';
import { dateField, spanOf } from '../fields/date-field.js';

const input = z.strictObject({
  query: z
    .string()
    .max(1000)
    .describe('Words that must all be in the title or the tags; beginnings are enough.')
    .exactOptional(),
  module: optionalText('Only conversations of this module.'),
  tag: z.string().max(200).describe('Only conversations with this tag.').exactOptional(),
  pinned: optionalFlag('Only pinned (true) or only unpinned (false).'),
  updatedAfter: dateField('Changed at or after this time'),
  updatedBefore: dateField('Changed at or before this time'),
  createdAfter: dateField('Started at or after this time'),
  createdBefore: dateField('Started at or before this time'),
  limit: z.int().min(1).max(100).describe('Maximum number of conversations.').default(50),
  cursor: z
    .string()
    .max(200)
    .describe('nextCursor or previousCursor, with the same filters.')
    .exactOptional(),
  maxTokens,
});

export const getConversations = defineTool({
  name: 'get_conversations',
  toolset: 'conversations',
  title: 'List conversations',
  description:
    'Lists conversations, most recently changed first. To search the text of messages, use search_messages.',
  input: () => input,
  output: () =>
    z.object({
      success,
      total: z.int().describe('Matching conversations on all pages.'),
      hasMore: z.boolean(),
      nextCursor: optionalText('Pass as cursor for the next page.'),
      previousCursor: optionalText('Pass as cursor for the previous page.'),
      approximate: optionalFlag(
        'True if no conversation has the words: the results have similar words, best first.',
      ),
      suggestions: z.array(z.string()).exactOptional(),
      note: optionalText('Why the list may be incomplete.'),
      conversations: z.array(headSchema),
    }),
  annotations: READS,
  quotesText: true,
  async run(request, app) {
    const page = await requestedPage(request, app);
    const { limit: _limit, cursor: _cursor, maxTokens: _maxTokens, ...filters } = request;
    const notes = [
      ...(page.total === 0 ? await excludingFilters(filters, app) : []),
      ...damagedNotes(app.conversations),
      ...(page.total === 0 ? await notIncluded(app) : []),
    ];
    return { ...page, ...joinedNote(notes) };
  },
});

async function requestedPage(
  { limit, cursor, maxTokens: budget, ...filters }: z.output<typeof input>,
  app: App,
) {
  const start = SIMILAR_CURSOR.exec(cursor ?? '')?.[1];
  if (start !== undefined)
    return similarPage(app, filters, { start: Number(start), limit, budget });
  const { conversations: heads, ...page } = await app.conversations.page(toQuery(filters), {
    limit,
    ...(cursor === undefined ? {} : { cursor }),
    countFitting: (found) => countWithin(found.map(toListed), budget),
  });
  const isUnknown = page.total === 0 && cursor === undefined;
  if (!isUnknown || filters.query === undefined) {
    return { ...page, conversations: heads.map(toListed) };
  }
  return similarPage(app, filters, { start: 0, limit, budget });
}

/**
 * Says that the query has no word, how many conversations match without `module` or `tag`, because these must be
 * given by their full names, and which modules are in use.
 */
async function excludingFilters(filters: Filters, { conversations }: App): Promise<string[]> {
  const wordless = wordlessNote(filters.query ?? '');
  const notes = wordless === undefined ? [] : [wordless];
  for (const name of ['module', 'tag'] as const) {
    const { [name]: excluding, ...others } = filters;
    if (excluding === undefined) continue;
    const { total } = await conversations.page(toQuery(others), { limit: 1 });
    const matches = countOf(total, 'conversation matches', 'conversations match');
    if (total > 0) notes.push(`${matches} without \`${name}\`.`);
  }
  const unused = await noSuchModule(conversations, filters.module);
  return unused === undefined ? notes : [...notes, unused];
}

/** The cursor of a page of conversations with similar names: the number of those before it. */
const SIMILAR_CURSOR = /^similar\.(\d{1,4})$/;

async function similarPage(
  app: App,
  { query = '', ...filters }: Filters,
  { start, limit, budget }: { start: number; limit: number; budget: number },
) {
  const { heads, suggestions } = await withSimilarNames(app, { ...filters, query });
  const listed = heads.slice(start, start + limit).map(toListed);
  const conversations = listed.slice(0, countWithin(listed, budget));
  const next = start + conversations.length;
  const hasMore = conversations.length > 0 && next < heads.length;
  return {
    total: heads.length,
    hasMore,
    conversations,
    ...(hasMore && { nextCursor: `similar.${next}` }),
    ...(heads.length > 0 && { approximate: true }),
    ...(suggestions.length > 0 && { suggestions: [...suggestions] }),
  };
}

/** Conversations that match the other filters, found by quick find, which allows typing errors. */
async function withSimilarNames(
  { conversations, quickFind }: App,
  { query, ...filters }: Filters & { query: string },
) {
  const isSelected = predicateOf(toQuery(filters)) ?? (() => true);
  const found = await quickFind.find(query, { kinds: ['conversation'], limit: MAX_SIMILAR });
  const heads = new Map((await conversations.list()).map((head) => [head.conversationId, head]));
  return {
    heads: found.hits.flatMap(({ entry }) => {
      const head = heads.get(entry.id);
      return head !== undefined && isSelected(head) ? [head] : [];
    }),
    suggestions: found.suggestions,
  };
}

const MAX_SIMILAR = 1000;

type Filters = Omit<z.output<typeof input>, 'limit' | 'cursor' | 'maxTokens'>;

function toQuery(filters: Filters): ListQuery {
  const { query, module, tag, pinned } = filters;
  const { updatedAfter, updatedBefore, createdAfter, createdBefore } = filters;
  const updated = spanOf({ updatedAfter, updatedBefore });
  const created = spanOf({ createdAfter, createdBefore });
  return defined({
    words: query,
    module,
    tag,
    pinned,
    updatedFrom: updated.start,
    updatedTo: updated.end,
    createdFrom: created.start,
    createdTo: created.end,
  });
}

/**
 * What the searches over messages answer besides their results: whether there is more, and where
 * nothing was found why, in a sentence: words nobody used, filters that kept everything out. No tool
 * of its own.
 */
import { z } from 'zod';
import type { MessageResults } from '../search/messages/message-search.js';

/** A text without spaces is one token, however long; so much of it shows where the match is. */
const MAX_SNIPPET_CHARACTERS = 2_000;
const BEFORE_MATCH_CHARACTERS = 200;

/** Fields of the output, see `searchFacts`. */
export const SEARCH_FACTS = {
  hasMore: z.boolean(),
  nextOffset: z.number().int().describe('The offset of the next page.').exactOptional(),
  relaxed: z.boolean().describe('No message has all of the words; these have some.'),
  explanation: z.string().describe('Why nothing was found.').exactOptional(),
  indexing: z
    .object({ done: z.number().int(), total: z.number().int() })
    .describe('The index is still being built: conversations read so far, of how many.')
    .exactOptional(),
};

/** `next`: where a page after this one would begin; `names` and `query` as for `explainNothing`. */
export function searchFacts(
  found: Omit<MessageResults, 'hits'>,
  next: number,
  names: Record<string, string> = {},
  query = '',
) {
  const hasMore = next < found.total;
  return {
    hasMore,
    ...(hasMore && { nextOffset: next }),
    relaxed: found.relaxed,
    ...(found.total === 0 && { explanation: explainNothing({ ...found, query }, names) }),
    ...(found.indexing && { indexing: { ...found.indexing } }),
  };
}

interface Nothing extends Pick<MessageResults, 'unknownWords' | 'indexing'> {
  readonly query?: string;
  readonly withoutFilter: Readonly<Record<string, number>>;
}

/** `names`: what the tool calls its filters, where that differs; `what`: what it searches. */
export function explainNothing(
  found: Nothing,
  names: Record<string, string> = {},
  what = 'message',
): string {
  const { query = '', unknownWords, withoutFilter, indexing } = found;
  const filters = Object.entries(withoutFilter)
    .filter(([, total]) => total > 0)
    .map(([name, total]) => `${total} match without ${nameOf(name, names)}`);
  const parts = [
    ...(unknownWords.length > 0 ? [`No ${what} has: ${unknownWords.join(', ')}.`] : []),
    ...(filters.length > 0 ? [`${filters.join('; ')}.`] : []),
    ...(indexing ? ['The index is still being built; ask again in a moment.'] : []),
  ];
  if (parts.length > 0) return parts.join(' ');
  return hasWord(query)
    ? `Each word occurs, but no ${what} matches the query.`
    : 'The query has no word to look for.';
}

const hasWord = (query: string) => query === '' || /[\p{L}\p{N}]/u.test(query);

/** A filter as it is called; only a name is marked for front ends to replace. */
const nameOf = (filter: string, names: Record<string, string>) =>
  filter === 'all' ? 'any filter' : `\`${names[filter] ?? filter}\``;

/** The part around the first `mark`, which opens a match. */
export function shortSnippet(snippet: string, mark: string): string {
  if (snippet.length <= MAX_SNIPPET_CHARACTERS) return snippet;
  const match = mark === '' ? 0 : Math.max(0, snippet.indexOf(mark));
  const from = Math.max(0, match - BEFORE_MATCH_CHARACTERS);
  const part = snippet.slice(from, from + MAX_SNIPPET_CHARACTERS).toWellFormed();
  return `${from > 0 ? '...' : ''}${part}...`;
}

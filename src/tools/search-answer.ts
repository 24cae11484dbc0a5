/**
 * What search tools share: the input fields for marked matches, and the output fields besides the
 * results, such as whether there are more results and why nothing was found.
 */

import { z } from 'zod';
import { countOf, shortened } from '../base/display-text.js';
import type { JsonObject } from '../base/json-fields.js';
import type { SnippetOptions } from '../fts/snippets/snippet.js';
import { hasSymbols } from '../fts/tokenizing/symbol-characters.js';
import type { MessageResults } from '../search/messages/keyword-search.js';
import { estimateTokens } from './answer-budget.js';
import { jsonObject } from './json-object.js';
import { nextPage } from './offset-page.js';

/** A text without spaces is one token of any length, so snippets also have a limit of characters. */
const MAX_SNIPPET_CHARACTERS = 2_000;
const BEFORE_MATCH_CHARACTERS = 200;

/** Longer metadata is left out of an answer. */
const MAX_METADATA_TOKENS = 4_000;

export const MARK_FIELDS = {
  highlightStart: z.string().max(40).describe('Text before each match.').default('<mark>'),
  highlightEnd: z.string().max(40).describe('Text after each match.').default('</mark>'),
  ellipsis: z.string().max(40).describe('Text where the snippet was cut.').default('...'),
};

export type MarkInput = z.output<z.ZodObject<typeof MARK_FIELDS>>;

export const marksOf = ({ highlightStart, highlightEnd, ellipsis }: MarkInput) =>
  ({ open: highlightStart, close: highlightEnd, ellipsis }) satisfies SnippetOptions;

export const includeMetadata = z
  .boolean()
  .describe('Also return metadata, such as sources and cost.')
  .default(false);

export const metadataField = jsonObject('As it was saved; absent if it is very long.');

/** The metadata of a hit, if it was asked for and is not too long. */
export function shownMetadata(metadata: JsonObject | undefined, isWanted: boolean) {
  const isShown =
    isWanted && metadata !== undefined && estimateTokens(metadata) <= MAX_METADATA_TOKENS;
  return isShown ? { metadata } : {};
}

/** Output fields; `searchOutput` returns their values. */
export const SEARCH_OUTPUT_FIELDS = {
  ...nextPage,
  relaxed: z
    .boolean()
    .describe('True if no message has all of the words; the results have some of them.'),
  explanation: z.string().describe('The reason if nothing was found.').exactOptional(),
  note: z.string().describe('Why results may be missing.').exactOptional(),
  indexing: z
    .object({ done: z.int(), total: z.int() })
    .describe(
      'Present while the index is being built: the number of conversations read so far, and of all.',
    )
    .exactOptional(),
};

/** `next`: offset of the next page, if there is one. `names`: see `explainNoResults`. */
export function searchOutput(
  found: Omit<MessageResults, 'hits'> & { readonly emptyTime?: string },
  next: number,
  names: Record<string, string>,
  searched: Pick<EmptyResult, 'query' | 'ifUnknown'> & { readonly damaged: number },
) {
  const hasMore = next < found.total;
  return {
    hasMore,
    ...(hasMore && { nextOffset: next }),
    relaxed: found.relaxed,
    ...(found.total === 0 && {
      explanation: [emptyTimeNote(found, false), explainNoResults({ ...found, ...searched }, names)]
        .filter((each) => each !== undefined)
        .join(' '),
    }),
    ...(found.total > 0 && searched.damaged > 0 && { note: unreadNote(searched.damaged) }),
    ...(found.indexing && { indexing: { ...found.indexing } }),
  };
}

/** Without this, the results look like an answer about the time that the question names. */
export function emptyTimeNote(
  { emptyTime }: { readonly emptyTime?: string },
  hasResults: boolean,
): string | undefined {
  if (emptyTime === undefined) return undefined;
  const none = `No message that was searched is from the time "${emptyTime}".`;
  return hasResults ? `${none} The results are from other times.` : none;
}

/** Advice of the tools that compare whole words, if nothing has a word of the query. */
export const TRY_PREFIX_OR_FUZZY =
  'To find longer words with these beginnings, set `matchType` to "prefix"; to allow typing errors, to "fuzzy".';

/** `damaged`: the number of conversations that could not be read. */
const unreadNote = (damaged: number) =>
  `${countOf(damaged, 'conversation')} could not be read and searched; see \`store_info\`.`;

interface EmptyResult extends Pick<MessageResults, 'unknownWords' | 'indexing'> {
  readonly query?: string;
  /** The number of conversations that could not be read. */
  readonly damaged?: number;
  /** Advice if no message has a word of the query. */
  readonly ifUnknown?: string | undefined;
  readonly withoutFilter: Readonly<Record<string, number>>;
}

/** `names`: index name of a filter to its argument, where they differ. `what`: kind of the results. */
export function explainNoResults(
  found: EmptyResult,
  names: Record<string, string> = {},
  what = 'message',
): string {
  const { query = '', unknownWords, withoutFilter, indexing, damaged = 0, ifUnknown } = found;
  const filters = Object.entries(withoutFilter)
    .filter(([, total]) => total > 0)
    .map(
      ([name, total]) =>
        `${countOf(total, `${what} matches`, `${what}s match`)} without ${nameOf(name, names)}`,
    );
  const parts = [
    ...(unknownWords.length > 0 ? [`No ${what} has: ${unknownWords.join(', ')}.`] : []),
    ...(ifUnknown !== undefined && unknownWords.some(hasWord) ? [ifUnknown] : []),
    ...(filters.length > 0 ? [`${filters.join('; ')}.`] : []),
    ...(damaged > 0 ? [unreadNote(damaged)] : []),
    ...(indexing ? ['The index is still being built. Call again in a few seconds.'] : []),
  ];
  if (parts.length > 0) return parts.join(' ');
  if (!hasWord(query) && !hasSymbols(query))
    return query.trim() === ''
      ? 'The query is empty.'
      : 'The query has only signs that are not searched, such as emoji.';
  return /^\S+$/.test(query.trim())
    ? `No ${what} has ${shortened(query.trim())} in its text.`
    : `No ${what} matches the whole query.`;
}

const hasWord = (query: string) => query === '' || /[\p{L}\p{N}]/u.test(query);

/** The argument in backquotes, which front ends replace by their own name for it. */
const nameOf = (filter: string, names: Record<string, string>) =>
  filter === 'all' ? 'any filter' : `\`${names[filter] ?? filter}\``;

/** At most 2 000 characters, around the first match. */
export function shortSnippet(
  snippet: string,
  { highlightStart, ellipsis }: Pick<MarkInput, 'highlightStart' | 'ellipsis'>,
): string {
  if (snippet.length <= MAX_SNIPPET_CHARACTERS) return snippet;
  const match = highlightStart === '' ? 0 : Math.max(0, snippet.indexOf(highlightStart));
  const from = Math.max(0, match - BEFORE_MATCH_CHARACTERS);
  const part = snippet.slice(from, from + MAX_SNIPPET_CHARACTERS).toWellFormed();
  return `${from > 0 ? ellipsis : ''}${part}${ellipsis}`;
}

/**
 * What search tools share: the input fields for marked matches, and output fields such as `why` and whether there
 * are more results. no-results.ts makes the explanation if nothing was found.
 */

import { z } from 'zod';
import type { JsonObject } from '../../base/json-fields.js';
import type { MatchType } from '../../fts/query/match-type-names.js';
import type { SnippetOptions } from '../../fts/snippets/snippet.js';
import type { MessageSearch } from '../../search/message-search.js';
import type { MessageResults } from '../../search/messages/keyword-search.js';
import type { SearchMode } from '../../search/search-names.js';
import { flag, optionalText } from '../define-tool.js';
import { jsonObject } from '../fields/json-object.js';
import { estimateTokens } from './answer-budget.js';
import { type EmptyResult, emptyTimeNote, explainNoResults, unreadNote } from './no-results.js';
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

export const includeMetadata = flag('Also return metadata, such as sources and cost.');

export const metadataField = jsonObject('As it was saved; absent if it is very long.');

/** The metadata of a hit, if it was asked for and is not too long. */
export function shownMetadata(metadata: JsonObject | undefined, isWanted: boolean) {
  const isShown =
    isWanted && metadata !== undefined && estimateTokens(metadata) <= MAX_METADATA_TOKENS;
  return isShown ? { metadata } : {};
}

/** The reasons for which recall found a message. */
export const whySchema = z
  .object({
    words: z
      .array(z.string())
      .describe('Words of the query in the message, as typed.')
      .exactOptional(),
    title: z
      .array(z.string())
      .describe('Words only in the title of the conversation.')
      .exactOptional(),
    forms: z.array(z.string()).describe('Words in the message in another form.').exactOptional(),
    neighbours: z.array(z.string()).describe('Words in the messages beside it.').exactOptional(),
    time: z.array(z.string()).describe('Words in its date or speaker.').exactOptional(),
    meaning: z.number().describe('Similarity of meaning (cosine).').exactOptional(),
  })
  .describe('Why the message was found.');

/** Output fields; `searchOutput` returns their values. */
export const SEARCH_OUTPUT_FIELDS = {
  ...nextPage,
  relaxed: z
    .boolean()
    .describe('True if no message has all of the words; the results have some of them.'),
  explanation: optionalText('The reason if nothing was found.'),
  note: optionalText('Why results may be missing.'),
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
  searched: Pick<EmptyResult, 'query' | 'searchedPart' | 'ifUnknown'> & {
    readonly damaged: number;
  },
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

const OPERATOR = /(?:^|\s)(AND|OR|NOT)(?=\s|$)/;

interface OperatorInput {
  readonly query: string;
  readonly matchType?: MatchType;
  readonly mode: SearchMode;
}

/** Without this, the results of a query such as `NOT peas` look like those that it excludes. */
export function operatorNote(
  { query, matchType, mode }: OperatorInput,
  messageSearch: Pick<MessageSearch, 'usesRecall'>,
): string | undefined {
  const isAuto = matchType === 'auto' || (matchType === undefined && /auto|keyword/.test(mode));
  const operator = OPERATOR.exec(query)?.[1];
  const isPlain = isAuto && messageSearch.usesRecall({ query, mode: 'auto' });
  return operator !== undefined && isPlain
    ? `The query is not valid FTS5, so ${operator} was searched as a word. An operator stands between words: garden NOT shed.`
    : undefined;
}

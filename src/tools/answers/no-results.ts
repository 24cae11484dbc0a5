/**
 * Why a search found nothing, and what the caller can try, as text for the output field `explanation`. The numbers
 * of matches without each filter come from search/messages/totals-without-filter.ts, and for notes from
 * search/notes/note-search.ts.
 */
import { countOf, hasText, shortened } from '../../base/text/display-text.js';
import { bigramsOf, cjkRunsOf } from '../../fts/tokenizing/cjk-bigrams.js';
import { hasSymbols } from '../../fts/tokenizing/symbol-characters.js';
import type { MessageResults } from '../../search/messages/keyword-search.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import type { PARTS } from '../../stores/knowledge-graph/model/triple.js';

/** So many facts with the words of a name are searched for similar names. */
const SIMILAR_FACTS = 200;
const MAX_SIMILAR = 5;

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

/** Advice of `search_messages`, which finds other forms of a word in any case. */
export const TRY_FUZZY = 'To allow typing errors, set `matchType` to "fuzzy".';

/** Advice of a search in what was said. */
export const TRY_ACTIVITY = 'To search tool calls and cited pages, set `activity`.';

/** `damaged`: the number of conversations that could not be read. */
export const unreadNote = (damaged: number) =>
  `${countOf(damaged, 'conversation')} could not be read and searched; see \`store_info\`.`;

export interface EmptyResult extends Pick<MessageResults, 'unknownWords' | 'indexing'> {
  readonly query?: string;
  /** What was searched of the results, if it is not their text. */
  readonly searchedPart?: string | undefined;
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
  const { searchedPart = what } = found;
  const filters = Object.entries(withoutFilter)
    .filter(([, total]) => total > 0)
    .map(
      ([name, total]) =>
        `${countOf(total, `${what} matches`, `${what}s match`)} without ${nameOf(name, names)}`,
    );
  const parts = [
    ...(unknownWords.length > 0 ? [noneHas(searchedPart, unknownWords, query)] : []),
    ...(ifUnknown !== undefined && unknownWords.some(hasWord) ? [ifUnknown] : []),
    ...(filters.length > 0 ? [`${filters.join('; ')}.`] : []),
    ...(damaged > 0 ? [unreadNote(damaged)] : []),
    ...(indexing ? ['The index is still being built. Call again in a few seconds.'] : []),
  ];
  if (parts.length > 0) return parts.join(' ');
  const wordless = wordlessNote(query);
  if (wordless !== undefined) return wordless;
  return /^\S+$/.test(query.trim())
    ? `No ${searchedPart} has ${shortened(query.trim())} in its text.`
    : `No ${searchedPart} matches the whole query.`;
}

/**
 * Which words of the query nothing has. CJK text is indexed as pairs of characters; instead of such pairs, the
 * text of the query that has them is shown.
 */
export function noneHas(what: string, unknownWords: readonly string[], query: string): string {
  const runs = cjkRunsOf(query);
  const typed = unknownWords.map(
    (word) => runs.find((run) => bigramsOf(run).includes(word)) ?? word,
  );
  return `No ${what} has: ${[...new Set(typed)].join(', ')}.`;
}

const hasWord = (query: string) => query === '' || /[\p{L}\p{N}]/u.test(query);

/** Why nothing can match the query; `undefined` if it has something that is searched, or was not given. */
export function wordlessNote(query: string): string | undefined {
  if (hasWord(query) || hasSymbols(query)) return undefined;
  return query.trim() === ''
    ? 'The query is empty.'
    : 'The query has only signs that are not searched, such as emoji.';
}

/** The argument in backquotes, which front ends replace by their own name for it. */
const nameOf = (filter: string, names: Record<string, string>) =>
  filter === 'all' ? 'any filter' : `\`${names[filter] ?? filter}\``;

/**
 * A sentence with the names of facts that contain `name`, in upper or lower case and with any signs between its
 * words, and a space before it. Empty if there are none.
 */
export async function similarGraphNames(
  kg: KnowledgeGraph,
  parts: readonly (typeof PARTS)[number][],
  name: string,
): Promise<string> {
  const wanted = wordsIn(name);
  const text = wanted.split(' ').reduce((one, other) => (other.length > one.length ? other : one));
  if (!hasText(text)) return '';
  const { triples } = await kg.query(
    { text, includeClosed: true },
    { limit: SIMILAR_FACTS, offset: 0 },
  );
  const similar = triples
    .flatMap((triple) => parts.map((part) => triple[part]))
    .filter((other) => wordsIn(other).includes(wanted));
  if (similar.length === 0) return '';
  const names = [...new Set(similar)].slice(0, MAX_SIMILAR);
  return ` Similar names: ${names.map((other) => JSON.stringify(other)).join(', ')}.`;
}

/** Assistants write one predicate as `lives in`, `lives_in` or `livesIn`. */
const wordsIn = (name: string): string =>
  name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();

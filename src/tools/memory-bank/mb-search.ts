/** The tool `mb_search`: ranked search in notes, and search for lines with a text or a regular expression. */
import { z } from 'zod';
import { MATCH_TYPES } from '../../fts/query/match-type-names.js';
import { markRanges } from '../../fts/snippets/highlight.js';
import type { NoteHit } from '../../search/notes/note-search.js';
import { NOTE_SEARCH_MODES } from '../../search/search-names.js';
import { isBelow } from '../../stores/memory-bank/note-path.js';
import { countWithin, maxTokens } from '../answers/answer-budget.js';
import { explainNoResults, TRY_PREFIX_OR_FUZZY } from '../answers/no-results.js';
import { nextPage, pagination } from '../answers/offset-page.js';
import { MARK_FIELDS, type MarkInput, marksOf } from '../answers/search-answer.js';
import { defineTool, flag, optionalInt, optionalText, READS, success } from '../define-tool.js';
import { noteFolder } from '../fields/note-fields.js';

/** Characters of a line in the answer, because one line can be as long as a note. */
const MAX_LINE_LENGTH = 400;
const BEFORE_MATCH = 100;

export const mbSearch = defineTool({
  name: 'mb_search',
  aliases: ['mb/search'],
  toolset: 'memory_bank',
  title: 'Search notes',
  description:
    'Finds text in the notes. ranked: sections that match words or an FTS5 query, best first; exact: lines with the text; regex: lines that match an RE2 expression.',
  input: () =>
    z.strictObject({
      query: z.string().min(1).max(1000).describe('Words, text or expression, depending on mode.'),
      mode: z.enum(NOTE_SEARCH_MODES).describe('Kind of search.').default('ranked'),
      matchType: z
        .enum(MATCH_TYPES)
        .describe('Only for ranked: as in search_messages.')
        .default('auto'),
      caseSensitive: flag('Only for exact and regex.'),
      folder: noteFolder,
      contextLines: z
        .int()
        .min(0)
        .max(10)
        .describe('Number of text lines before and after.')
        .default(1),
      ...MARK_FIELDS,
      limit: z.int().min(1).max(100).describe('Maximum number of results.').default(20),
      offset: z.int().min(0).describe('Number of results to skip.').default(0),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      total: z.int().describe('Number of all matching sections (ranked) or lines.'),
      ...nextPage,
      relaxed: z
        .boolean()
        .describe('True if no section has all of the words; the results have some of them.'),
      results: z.array(
        z.object({
          path: z.string(),
          line: z.int(),
          heading: optionalText('The headings above the line.'),
          text: z.string().describe('The line, with its matches marked.'),
          before: z.array(z.string()).exactOptional(),
          after: z.array(z.string()).exactOptional(),
        }),
      ),
      explanation: optionalText('The reason if nothing was found.'),
      skippedFiles: optionalInt(
        'Number of files that were not searched; mb_list has their paths and the reasons.',
      ),
      skippedLines: optionalInt(
        'Number of lines that were not searched, because they are too long for this expression.',
      ),
    }),
  annotations: READS,
  quotesText: true,
  async run(input, { noteSearch, memoryBank }, { signal }) {
    const { contextLines: _, maxTokens: budget, ...request } = input;
    const { hits, ...found } = await noteSearch.search(request, signal);
    const page = hits.map((hit) => toResult(hit, input));
    const results = page.slice(0, countWithin(page, budget));
    const skipped = memoryBank.skipped().filter(({ path }) => isBelow(path, input.folder));
    return {
      ...pagination(found.total, request.offset, results.length),
      relaxed: found.relaxed,
      results,
      ...(skipped.length > 0 && { skippedFiles: skipped.length }),
      ...(found.skippedLines && { skippedLines: found.skippedLines }),
      ...(found.total === 0 && {
        explanation: explanationOf(found, request),
      }),
    };
  },
});

type Found = Parameters<typeof explainNoResults>[0];

interface Request {
  readonly query: string;
  readonly mode: string;
  readonly matchType: string;
}

function explanationOf(found: Found, { query, mode, matchType }: Request): string {
  const { withoutFilter } = found;
  if (mode === 'ranked' || Object.keys(withoutFilter).length > 0) {
    const ifUnknown = matchType === 'auto' ? TRY_PREFIX_OR_FUZZY : undefined;
    return explainNoResults({ ...found, query, ifUnknown }, {}, 'section');
  }
  return 'No line matches.';
}

interface ResultOptions extends MarkInput {
  readonly contextLines: number;
}

function toResult({ path, line, headings, text, matches, lines }: NoteHit, options: ResultOptions) {
  const { contextLines, ellipsis } = options;
  const shortened = (whole: string) => beginningOf(whole, ellipsis);
  // In Markdown most lines are between empty ones, which say nothing about the match.
  const withText = (part: readonly string[]) => part.filter((each) => each.trim() !== '');
  const near = 3 * contextLines;
  const above = withText(lines.slice(Math.max(0, line - 1 - near), line - 1));
  const before = above.slice(Math.max(0, above.length - contextLines));
  const after = withText(lines.slice(line, line + near)).slice(0, contextLines);
  return {
    path,
    line,
    ...(headings.length > 0 && { heading: shortened(headings.join(' > ')) }),
    text: marked(text, matches, options),
    ...(before.length > 0 && { before: before.map(shortened) }),
    ...(after.length > 0 && { after: after.map(shortened) }),
  };
}

const beginningOf = (line: string, ellipsis: string) =>
  line.length <= MAX_LINE_LENGTH
    ? line
    : `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()}${ellipsis}`;

/** The line with marked matches; from a long line, the part around the first match. */
function marked(text: string, matches: NoteHit['matches'], options: ResultOptions): string {
  const { open, close, ellipsis } = marksOf(options);
  const isLong = text.length > MAX_LINE_LENGTH;
  const from = isLong ? Math.max(0, (matches[0]?.start ?? 0) - BEFORE_MATCH) : 0;
  const to = isLong ? Math.min(text.length, from + MAX_LINE_LENGTH) : text.length;
  const ranges = matches
    .filter(({ start }) => start >= from && start < to)
    .map(({ start, end }) => ({ from: start, to: Math.min(end, to) }));
  const part = markRanges(text, ranges, { from, to }, { open, close }).toWellFormed();
  return `${from > 0 ? ellipsis : ''}${part}${to < text.length ? ellipsis : ''}`;
}

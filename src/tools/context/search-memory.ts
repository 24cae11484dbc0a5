/** The tool `search_memory`: searches messages, notes, insights and facts at once. */

import { z } from 'zod';
import { notIncluded } from '../../app/not-found-hints.js';
import { shownNames } from '../../base/text/display-text.js';
import type { MemoryHit } from '../../search/memory-search.js';
import { MEMORY_SOURCES, SEARCH_TIERS } from '../../search/search-names.js';
import { damagedNotes } from '../../stores/conversations/damaged-notes.js';
import { contextsOf } from '../../stores/insights/project-contexts.js';
import { GLOBAL_CONTEXT } from '../../stores/insights/schema.js';
import { toTripleView } from '../../stores/knowledge-graph/model/triple.js';
import { countWithin, maxTokens } from '../answers/answer-budget.js';
import { contextField, noteOtherContexts } from '../answers/insight-view.js';
import { joinedNote } from '../answers/masked-note.js';
import { emptyTimeNote, wordlessNote } from '../answers/no-results.js';
import {
  includeMetadata,
  MARK_FIELDS,
  type MarkInput,
  marksOf,
  metadataField,
  shortSnippet,
  shownMetadata,
} from '../answers/search-answer.js';
import { tripleSchema } from '../answers/triple-view.js';
import { defineTool, flag, optionalInt, optionalText, READS, success } from '../define-tool.js';

const ONLY_GLOBAL =
  'Of the insights, only those of the context "global" were searched: over HTTP, give `context` to search those of a project.';

/** Absent if this source was not searched. */
const total = z.int().exactOptional();

export const searchMemory = defineTool({
  name: 'search_memory',
  toolset: 'context',
  title: 'Search everything',
  description:
    'Searches messages, notes, insights and facts in one call; each result has its source. Insights of other projects are not searched.',
  input: () =>
    z.strictObject({
      query: z.string().min(1).max(10_000).describe('Plain words or a question.'),
      sources: z.array(z.enum(MEMORY_SOURCES)).min(1).describe('What to search.').exactOptional(),
      context: contextField.describe(
        'Project of the insights: absolute path, "git:host/owner/repository", "project:name" or "global" (default: that of the working folder; over HTTP: global).',
      ),
      includeEnded: flag('Also facts that have ended.'),
      named: flag(
        'Of insights and facts, only those whose tag or subject is completely in the query.',
      ),
      limit: z.int().min(1).max(100).describe('Maximum number of results.').default(10),
      includeMetadata,
      ...MARK_FIELDS,
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      tier: z.enum(SEARCH_TIERS).describe('The search method for messages.'),
      totals: z
        .object({ messages: total, notes: total, insights: total, facts: total })
        .describe('Matches.'),
      note: optionalText('What may be missing.'),
      results: z.array(
        z.object({
          source: z.enum(MEMORY_SOURCES),
          text: z.string(),
          conversationId: z.string().exactOptional(),
          title: z.string().exactOptional(),
          messageId: z.string().exactOptional(),
          seq: z.int().exactOptional(),
          role: z.string().exactOptional(),
          createdAt: z.string().exactOptional(),
          metadata: metadataField.exactOptional(),
          path: optionalText('Path of the note.'),
          line: optionalInt('First line of the section.'),
          id: optionalText('Id of the insight.'),
          fact: tripleSchema.exactOptional(),
        }),
      ),
    }),
  annotations: READS,
  quotesText: true,
  async run(input, app, call) {
    const { conversations, insights, memorySearch } = app;
    const { query, sources = [...MEMORY_SOURCES], includeEnded, named, limit } = input;
    const isWithoutProject =
      call.isRemote && input.context === undefined && input.sources === undefined;
    const context = isWithoutProject ? GLOBAL_CONTEXT : input.context;
    const contexts = sources.includes('insights')
      ? await contextsOf(context, call, insights)
      : { context: '', alsoIn: [] };
    const marks = marksOf(input);
    const request = {
      query,
      sources: [...new Set(sources)],
      ...contexts,
      includeEnded,
      named,
      limit,
      marks,
    };
    const { signal, progress } = call;
    const found = await memorySearch.search(request, { signal, progress });
    const page = found.hits.map((hit) => toResult(hit, input));
    const results = page.slice(0, Math.max(1, countWithin(page, input.maxTokens)));
    const hasMessages = request.sources.includes('messages');
    const notes = hasMessages ? damagedNotes(conversations) : [];
    if (hasMessages && results.length === 0) notes.push(...(await notIncluded(app)));
    if (!call.isRemote && results.length === 0 && sources.includes('insights'))
      notes.push(...(await noteOtherContexts(contexts, call, insights)));
    if (isWithoutProject) notes.push(ONLY_GLOBAL);
    const wordless = results.length === 0 ? wordlessNote(query) : undefined;
    const note = joinedNote([wordless, emptyTimeNote(found, results.length > 0), ...notes]);
    return { tier: found.tier, totals: { ...found.totals }, results, ...note };
  },
});

function toResult(hit: MemoryHit, input: MarkInput & { includeMetadata: boolean }) {
  const { source } = hit;
  switch (source) {
    case 'messages': {
      const { conversationId, messageId, seq, role, createdAt, snippet, metadata } = hit.message;
      const { title } = hit.message;
      const shown = shownMetadata(metadata, input.includeMetadata);
      const text = shortSnippet(snippet, input);
      const found = { conversationId, ...shownNames({ title }), messageId, seq, role, createdAt };
      return { source, text, ...found, ...shown };
    }
    case 'notes':
      return { source, text: shortSnippet(hit.text, input), path: hit.note.path, line: hit.line };
    case 'insights':
      return { source, text: shortSnippet(hit.text, input), id: hit.id };
    case 'facts': {
      const { subject, predicate, object } = hit.fact;
      return { source, text: `${subject} ${predicate} ${object}`, fact: toTripleView(hit.fact) };
    }
  }
}

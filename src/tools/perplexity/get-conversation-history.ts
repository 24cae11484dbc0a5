/**
 * The tool `get_conversation_history`: returns a conversation in pages, with the state of its deep
 * research. It changes the conversation only if the research has finished: then it stores the answer.
 */

import { z } from 'zod';
import { isRecord } from '../../base/json-fields.js';
import { countOf, shownNames } from '../../base/text/display-text.js';
import { endWithin } from '../../base/text/estimate-tokens.js';
import { escapeMessageStarts } from '../../base/text/message-starts.js';
import { citedPages, pageLine } from '../../exchange/markdown/message-sources.js';
import type { ResearchHistory } from '../../research/research-types.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { type Message, ROLES } from '../../stores/conversations/document/schema.js';
import { estimateTokens } from '../answers/answer-budget.js';
import {
  isMarked,
  messagePageOf,
  type PageLimits,
  type PageStart,
  parseCursor,
} from '../answers/message-page.js';
import { defineTool, READS_OUTSIDE, success } from '../define-tool.js';
import { conversationRef } from '../fields/perplexity-fields.js';

/** Enough for a whole report of deep research. */
const MAX_PAGE_TOKENS = 12_000;
const MAX_ANSWER_TOKENS = 8_000;
const MAX_METADATA_TOKENS = 4_000;

const output = z.object({
  success,
  conversationId: z.string(),
  conversationPath: z.string().describe('Absolute path of the folder of the conversation.'),
  title: z.string().exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  messageCount: z.number().describe('Number of stored messages, including the system prompt.'),
  total: z.number().describe('Number of messages on all pages of this reading.'),
  hasMore: z.boolean(),
  nextCursor: z.string().exactOptional().describe('Pass as cursor for the next page.'),
  run: z
    .object({
      state: z.enum(['in_progress', 'unknown', 'failed', 'unsaved']),
      query: z.string().exactOptional(),
      startedAt: z.string().exactOptional(),
      runId: z.string().exactOptional(),
      reason: z.string().exactOptional(),
      answer: z.string().exactOptional().describe('The answer that is not stored yet.'),
      isCut: z.boolean().exactOptional().describe('True if the end of answer is missing here.'),
      advice: z.string(),
    })
    .exactOptional()
    .describe('A deep research of this conversation that has no stored answer (yet).'),
  messages: z.array(
    z.object({
      seq: z.number().describe('Position in the conversation, from 1.'),
      id: z.string(),
      role: z.enum(ROLES),
      createdAt: z.string(),
      content: z.string(),
      offset: z
        .number()
        .exactOptional()
        .describe('Position in the message at which this part starts.'),
      isCut: z.boolean().exactOptional().describe('Pass nextCursor to get the rest.'),
      metadata: z.record(z.string(), z.unknown()).exactOptional(),
    }),
  ),
});

type History = z.output<typeof output>;
type RunState = NonNullable<History['run']>['state'];

const ADVICE: Record<RunState, string> = {
  in_progress:
    'The research is running. Call this tool again in a minute or two. Do not start the research again.',
  unknown:
    'The result of this research is unknown. Perplexity may have charged for it, so it is not repeated automatically. To continue, call a follow-up tool with discardLostRun: true.',
  failed: 'The research ended without an answer. You can ask again with a follow-up tool.',
  unsaved:
    'The research is finished and paid, but its answer could not be stored. The answer is in run.answer.',
};

export const getConversationHistory = defineTool({
  name: 'get_conversation_history',
  toolset: 'perplexity',
  title: 'Read a research conversation',
  description:
    'Returns a stored conversation from the beginning, in pages, with the state of its deep research. It also stores the report of a research that was in_progress and is now finished.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef,
      includeSystemPrompt: z.boolean().default(false).describe('Also return the system prompt.'),
      limit: z.int().min(1).max(200).default(50).describe('Maximum number of messages of a page.'),
      cursor: z.string().max(40).exactOptional().describe('nextCursor of the previous page.'),
    }),
  output: () => output,
  annotations: READS_OUTSIDE,
  quotesText: true,
  text: historyText,
  async run({ conversationId, includeSystemPrompt, limit, cursor }, { research, conversations }) {
    const history = await research.history(conversationId);
    const { head, systemMessages, page } = await pageWithin(conversations, history.conversationId, {
      includeSystemPrompt,
      limit,
      maxTokens: MAX_PAGE_TOKENS,
      ...(cursor === undefined ? {} : { cursor }),
    });
    return {
      conversationId: head.conversationId,
      conversationPath: history.conversationPath,
      createdAt: head.createdAt,
      updatedAt: head.updatedAt,
      messageCount: head.messageCount,
      total: head.messageCount - (includeSystemPrompt ? 0 : systemMessages),
      hasMore: page.nextCursor !== undefined,
      messages: page.messages.map(({ seq, message, content, offset, isCut }) => ({
        seq,
        id: message.id,
        role: message.role,
        createdAt: message.createdAt,
        content,
        ...(offset > 0 ? { offset } : {}),
        ...(isCut ? { isCut } : {}),
        ...(offset === 0 ? shownMetadata(message) : {}),
      })),
      ...shownNames({ title: head.title }),
      ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      ...runOf(history),
    };
  },
});

/** Reads as many messages as the page needs: more than the limit if system prompts are left out. */
async function pageWithin(
  conversations: ConversationStore,
  conversationId: string,
  { includeSystemPrompt, ...limits }: PageLimits & { includeSystemPrompt: boolean },
) {
  const first = await firstOf(conversations, conversationId, parseCursor(limits.cursor));
  // One message more than the limit shows whether there is a next page.
  for (let count = limits.limit + 1; ; count *= 2) {
    const { head, systemMessages, ...part } = await conversations.part(conversationId, {
      first,
      count,
    });
    const listed = part.messages
      .map((message, index) => ({ seq: part.first + index, message }))
      .filter(({ message }) => includeSystemPrompt || message.role !== 'system');
    const page = messagePageOf(listed, limits);
    const isEnd = part.first + part.messages.length > head.messageCount;
    if (isEnd || page.nextCursor !== undefined) return { head, systemMessages, page };
  }
}

/** The position where the page starts. Messages before it may have been deleted since the previous page. */
async function firstOf(
  conversations: ConversationStore,
  conversationId: string,
  start: PageStart,
): Promise<number> {
  if (start.mark === undefined) return start.seq;
  const { messages } = await conversations.part(conversationId, { first: start.seq, count: 1 });
  if (messages[0] !== undefined && isMarked(messages[0], start)) return start.seq;
  const all = await conversations.load(conversationId);
  const at = all.messages.findIndex((message) => isMarked(message, start));
  return at === -1 ? start.seq : at + 1;
}

/** Leaves out the texts of the sources if the metadata is too long, and all of it if it is still too long. */
function shownMetadata({ metadata }: Message) {
  if (metadata === undefined) return {};
  const { sources } = metadata;
  const short = Array.isArray(sources)
    ? { ...metadata, sources: sources.filter(isRecord).map(({ snippet: _, ...source }) => source) }
    : metadata;
  const fits = [metadata, short].find((each) => estimateTokens(each) <= MAX_METADATA_TOKENS);
  return fits === undefined ? {} : { metadata: fits };
}

function runOf({ run }: ResearchHistory): { run?: NonNullable<History['run']> } {
  if (run === undefined) return {};
  const { answer, ...rest } = run;
  const shown = answer?.slice(0, endWithin(answer, 0, MAX_ANSWER_TOKENS));
  return {
    run: {
      ...rest,
      ...(shown !== undefined && { answer: shown }),
      ...(shown !== answer && { isCut: true }),
      advice: ADVICE[run.state],
    },
  };
}

function historyText(history: History): string {
  const leftOut = history.messageCount - history.total;
  const head = [
    `Conversation ${history.conversationId}: ${countOf(history.total, 'message')}${history.title === undefined ? '' : `, ${JSON.stringify(history.title)}`}`,
    ...(leftOut === 0
      ? []
      : [
          `Left out: ${countOf(leftOut, 'system prompt')}. Pass includeSystemPrompt: true to get everything.`,
        ]),
    ...(history.nextCursor === undefined ? [] : [`More: cursor "${history.nextCursor}"`]),
    `On disk: ${history.conversationPath}`,
    ...(history.run === undefined ? [] : runLines(history.run)),
  ];
  let room = MAX_METADATA_TOKENS;
  const messages = history.messages.map(
    ({ seq, role, createdAt, content, offset, isCut, metadata }) => {
      const pages = citedPages(metadata).map(pageLine);
      const sources = pages.length === 0 ? '' : `\n\nSources:\n${pages.join('\n')}`;
      const isShown = estimateTokens(sources) <= room;
      if (isShown) room -= estimateTokens(sources);
      const body = `${content}${isCut ? '…' : ''}${isShown ? sources : ''}`;
      return `#${seq} ${role}, ${createdAt}${offset === undefined ? '' : `, from character ${offset}`}\n${escapeMessageStarts(body)}`;
    },
  );
  return [head.join('\n'), ...messages].join('\n\n---\n\n');
}

function runLines(run: NonNullable<History['run']>): string[] {
  const why = run.reason === undefined ? '' : ` (${run.reason})`;
  return [
    `Deep research: ${run.state}${why}${run.startedAt === undefined ? '' : `, since ${run.startedAt}`}`,
    ...(run.query === undefined ? [] : [`Its question: ${run.query}`]),
    run.advice,
    ...(run.answer === undefined ? [] : [`Its answer:\n${run.answer}${run.isCut ? '…' : ''}`]),
  ];
}

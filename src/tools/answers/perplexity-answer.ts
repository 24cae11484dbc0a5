/**
 * The output of the four Perplexity tools, as data and as text. The text starts with the path of the
 * conversation and how to continue it; then come the answer and its numbered sources.
 */

import { z } from 'zod';
import { defined } from '../../base/json.js';
import { countOf } from '../../base/text/display-text.js';
import type { ResearchResult } from '../../research/research-types.js';
import { ASKS_OUTSIDE, success } from '../define-tool.js';

const source = z.object({
  id: z.number().describe('The source of a mark such as [3] in the text.'),
  url: z.string(),
  title: z.string(),
  snippet: z.string().exactOptional(),
  date: z.string().exactOptional(),
  lastUpdated: z.string().exactOptional(),
  alsoMarked: z.array(z.number()).exactOptional(),
});

const usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  totalTokens: z.number(),
  reasoningTokens: z.number().exactOptional(),
  cachedInputTokens: z.number().exactOptional(),
  citationTokens: z.number().exactOptional(),
  searchQueries: z.number().exactOptional(),
  raw: z.record(z.string(), z.unknown()).describe('As Perplexity sent it.'),
});

const answerOutput = z.object({
  success,
  status: z
    .enum(['completed', 'in_progress'])
    .describe(
      'in_progress: the research continues; get_conversation_history has the answer later.',
    ),
  saved: z.boolean().describe('Whether question and answer were stored.'),
  notSavedReason: z.string().exactOptional(),
  conversationId: z.string().exactOptional().describe('Absent only if nothing could be stored.'),
  conversationPath: z
    .string()
    .exactOptional()
    .describe('Absolute path of the folder of the conversation.'),
  isFollowup: z.boolean(),
  rawResultText: z.string().describe('The answer; empty while the research is running.'),
  responseId: z.string().exactOptional(),
  modelUsed: z.string().exactOptional(),
  usage: usage.exactOptional(),
  cost: z.object({ currency: z.string(), total: z.number() }).exactOptional(),
  searchResults: z.array(source),
  relatedQuestions: z.array(z.string()),
  thinking: z.string().exactOptional(),
  notes: z.array(z.string()).describe('What was done differently from the request.'),
});

type Answer = z.output<typeof answerOutput>;

export function toAnswerOutput(result: ResearchResult): z.input<typeof answerOutput> {
  const { answer } = result;
  return {
    status: result.status,
    saved: result.saved,
    isFollowup: result.isFollowup,
    rawResultText: answer?.text ?? '',
    searchResults: (answer?.searchResults ?? []).map((found) => ({
      ...found,
      ...(found.alsoMarked === undefined ? {} : { alsoMarked: [...found.alsoMarked] }),
    })) as Answer['searchResults'],
    relatedQuestions: [...(answer?.relatedQuestions ?? [])],
    notes: [...result.notes],
    ...defined({
      notSavedReason: result.notSavedReason,
      conversationId: result.conversationId,
      conversationPath: result.conversationPath,
      responseId: answer?.responseId,
      modelUsed: answer?.model,
      usage: answer?.usage,
      cost: answer?.cost,
      thinking: answer?.thinking,
    }),
  };
}

function answerText(answer: Answer): string {
  const parts = [header(answer).join('\n')];
  if (answer.thinking !== undefined) parts.push(`Reasoning:\n${answer.thinking}`);
  if (answer.rawResultText !== '') parts.push(answer.rawResultText);
  if (answer.searchResults.length > 0) {
    parts.push(['Sources:', ...answer.searchResults.map(sourceLine)].join('\n'));
  }
  if (answer.relatedQuestions.length > 0) {
    parts.push(['Related questions:', ...answer.relatedQuestions.map((q) => `- ${q}`)].join('\n'));
  }
  return parts.join('\n\n---\n\n');
}

function header(answer: Answer): string[] {
  const { conversationId: id } = answer;
  const lines: string[] = [];
  if (id !== undefined) {
    lines.push(`Conversation ${id} (${answer.isFollowup ? 'continued' : 'new'})`);
    lines.push(`On disk: ${answer.conversationPath}`);
  }
  if (answer.status === 'in_progress') {
    lines.push(
      'The research is still running. Its answer will be stored in this conversation automatically.',
      `For the answer call get_conversation_history with conversationId "${id}" in a minute or two. Do not ask the same question again: it would be paid for twice.`,
    );
  } else if (answer.saved) {
    lines.push(
      `To continue this conversation, pass conversationId "${id}": perplexity_search_followup for a quick answer, perplexity_deep_research_followup for a thorough one, get_conversation_history to read all of it.`,
    );
  } else {
    lines.push(
      `NOT SAVED: ${answer.notSavedReason ?? 'unknown reason'} The answer below is complete, but it is not stored.`,
    );
  }
  if (answer.modelUsed !== undefined) lines.push(modelLine(answer));
  return [...lines, ...answer.notes.map((note) => `Note: ${note}`)];
}

function modelLine(answer: Answer): string {
  const parts = [`Model: ${answer.modelUsed}`];
  if (answer.usage !== undefined) parts.push(countOf(answer.usage.totalTokens, 'token'));
  if (answer.cost !== undefined) parts.push(`${answer.cost.total} ${answer.cost.currency}`);
  return parts.join(', ');
}

function sourceLine(found: Answer['searchResults'][number]): string {
  const marks = [found.id, ...(found.alsoMarked ?? [])].map((mark) => `[${mark}]`).join('');
  const date = found.date === undefined ? '' : ` (${found.date})`;
  return `${marks} ${found.title}${date}: ${found.url}`;
}

/** What the definitions of the four tools share. */
export const ANSWERING = {
  toolset: 'perplexity',
  needsPerplexity: true,
  output: () => answerOutput,
  annotations: ASKS_OUTSIDE,
  quotesText: true,
  text: answerText,
} as const;

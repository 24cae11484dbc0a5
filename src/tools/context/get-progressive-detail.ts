/**
 * The tool `get_progressive_detail`: returns one conversation at a chosen level, from a short summary to
 * all messages, with the tokens of the next level.
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { shownNames } from '../../base/text/display-text.js';
import { endWithin, estimateTextTokens } from '../../base/text/estimate-tokens.js';
import { LEVEL_TOKENS } from '../../context/summaries/levels.js';
import type { SummaryAnswer } from '../../context/summaries/summary-service.js';
import { type Conversation, ROLES } from '../../stores/conversations/document/schema.js';
import {
  SUMMARY_LEVELS,
  type Summaries,
  type SummaryLevel,
} from '../../stores/summaries/summary-file.js';
import { maxTokens } from '../answers/answer-budget.js';
import { messagePageOf } from '../answers/message-page.js';
import { defineTool, flag, optionalText, READS_OUTSIDE, success } from '../define-tool.js';
import { conversationRef } from '../fields/conversation-input.js';

const LEVELS = [...SUMMARY_LEVELS, 'full'] as const;
type Level = (typeof LEVELS)[number];
/** For ids, times and names of fields around a message or a summary. */
const OVERHEAD_TOKENS = 300;
const OVERHEAD_TOKENS_PER_MESSAGE = 40;
const MAX_MESSAGES = 1000;
const NO_SUMMARY =
  'There is no summary, because the conversation has no text of a user or an assistant.';

const summarySchema = z.object({
  text: z.string(),
  tokens: z.int(),
  provider: z
    .string()
    .describe('extractive, or the name of the provider whose model wrote the summary.'),
  model: z.string().exactOptional(),
  generatedAt: z.string(),
  messageCount: z.int().describe('Number of messages that were summarised.'),
  qualityScore: z
    .number()
    .describe('Quality from 0 to 1: how well it covers the whole content, without new names.'),
  isStale: z.boolean().describe('True if the conversation was changed after the summary.'),
  problem: z
    .object({ code: z.string(), message: z.string(), hint: z.string() })
    .describe('Why the summary was not written again, or not stored.')
    .exactOptional(),
});

export const getProgressiveDetail = defineTool({
  name: 'get_progressive_detail',
  toolset: 'context',
  title: 'A conversation, step by step',
  description:
    'Returns one conversation as a brief, standard or detailed summary, or in full, with the size of the next level. Start with brief, and ask for more only if you need it.',
  input: () =>
    z.strictObject({
      conversationId: conversationRef(),
      level: z.enum(LEVELS).describe('Level of detail.').default('brief'),
      refresh: flag('Write the summary again.'),
      cursor: optionalText('nextCursor of the previous page; only for full.'),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      conversationId: z.string(),
      nextCursor: optionalText('Only for full: pass as cursor for the next page.'),
      title: z.string().exactOptional(),
      level: z.enum(LEVELS),
      tokens: z.int().describe('Estimated tokens of this answer.'),
      next: z
        .object({ level: z.enum(LEVELS), tokens: z.int() })
        .describe('The next level, and its estimated tokens.')
        .exactOptional(),
      messageCount: z.int(),
      summary: summarySchema.exactOptional(),
      messages: z
        .array(
          z.object({
            seq: z.int(),
            messageId: z.string(),
            role: z.enum(ROLES),
            createdAt: z.string(),
            content: z.string(),
            isCut: z.boolean().exactOptional(),
          }),
        )
        .describe('Only for full.')
        .exactOptional(),
      note: optionalText('Why there is no summary.'),
    }),
  annotations: READS_OUTSIDE,
  quotesText: true,
  async run(
    { level, refresh, cursor, ...input },
    { conversations, summaries },
    { signal, progress },
  ) {
    if (cursor !== undefined && level !== 'full') {
      throw new AppError('VALIDATION_ERROR', 'Only the level full has pages.', {
        hint: 'For the next page set level to "full"; otherwise omit cursor.',
        details: { field: 'cursor' },
      });
    }
    const report = (done: number, total: number, message: string) =>
      progress({ progress: done, total, message });
    const request = { refresh, usesModels: true, signal, progress: report };
    const answer =
      level === 'full' ? undefined : await summaries.get(input.conversationId, level, request);
    const conversation = await conversations.load(input.conversationId);
    const { conversationId, title, messageCount } = conversation;
    const stored = await summaries.stored(conversationId);
    const room = input.maxTokens - OVERHEAD_TOKENS;
    const shown =
      answer === undefined ? fullPage(conversation, room, cursor) : summaryPart(answer, room);
    return {
      conversationId,
      ...shownNames({ title }),
      level,
      tokens: estimateTextTokens(JSON.stringify(shown)),
      ...nextOf(level, conversation, stored),
      messageCount,
      ...shown,
    };
  },
});

function fullPage(conversation: Conversation, room: number, cursor: string | undefined) {
  const listed = conversation.messages.map((message, index) => ({ seq: index + 1, message }));
  const page = messagePageOf(listed, {
    limit: MAX_MESSAGES,
    maxTokens: room,
    ...(cursor !== undefined && { cursor }),
  });
  return {
    ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
    messages: page.messages.map(({ seq, message, content, isCut }) => ({
      seq,
      messageId: message.id,
      role: message.role,
      createdAt: message.createdAt,
      content,
      ...(isCut && { isCut }),
    })),
  };
}

function summaryPart({ summary, isStale, problem }: SummaryAnswer, room: number) {
  if (summary === undefined) return { note: NO_SUMMARY };
  const { provider, model, generatedAt, messageCount, qualityScore } = summary;
  return {
    summary: {
      text: textWithin(summary.text, room),
      tokens: summary.tokenCount,
      provider,
      ...(model !== undefined && { model }),
      generatedAt,
      messageCount,
      qualityScore,
      isStale,
      ...(problem && { problem: shownProblem(problem) }),
    },
  };
}

const shownProblem = ({ code, message, hint }: AppError) => ({ code, message, hint });

/** A person can edit the summary in the file, so its text can have any length. */
const textWithin = (text: string, room: number): string =>
  estimateTextTokens(text) <= room ? text : `${text.slice(0, endWithin(text, 0, room))}…`;

function nextOf(level: Level, conversation: Conversation, stored: Summaries) {
  const next = LEVELS[LEVELS.indexOf(level) + 1];
  if (next === undefined) return {};
  const full = fullTokens(conversation);
  const tokens = next === 'full' ? full : Math.min(full, tokensOf(next, stored));
  return { next: { level: next, tokens } };
}

const tokensOf = (level: SummaryLevel, stored: Summaries) =>
  stored[level]?.tokenCount ?? LEVEL_TOKENS[level];

const fullTokens = ({ messages }: Conversation) =>
  messages.reduce(
    (sum, { content }) => sum + estimateTextTokens(content) + OVERHEAD_TOKENS_PER_MESSAGE,
    0,
  );

/**
 * Makes one summary with one language model. A conversation that fits into the context is sent in one
 * request. A longer one is sent in parts: the model writes notes on each part, then a summary of the notes.
 * If the model refuses a text as too long, or its server truncates it without an error (it reports fewer
 * tokens than the text has), the parts are made smaller.
 */

import { AppError, isAppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { endWithin, estimateTextTokens } from '../../base/text/estimate-tokens.js';
import { type RequestOutcome, withUnknownOutcome } from '../../providers/http-client.js';
import type { CompletionRequest, LanguageModel } from '../../providers/llm/language-model.js';
import { isTruncated } from '../../providers/llm/token-floor.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import type { SummaryLevel } from '../../stores/summaries/summary-file.js';
import { LEVEL_TOKENS } from './levels.js';
import { notesPrompt, SYSTEM_PROMPT, summaryPrompt, transcriptOf } from './summary-prompts.js';

export interface UsableModel {
  readonly name: string;
  readonly model: LanguageModel;
  /** Maximum tokens of a request, including the answer. */
  readonly contextTokens: number;
  /** Maximum tokens of an answer. */
  readonly maxTokens: number;
}

export interface ModelSummary {
  readonly text: string;
  /** Name of the model in the server's answer. */
  readonly model: string;
  /** Size of the parts that worked, in tokens; passed to the next call. */
  readonly partTokens: number;
}

export interface ModelCall {
  readonly signal?: AbortSignal | undefined;
  /** If it returns false, no further request is sent. */
  readonly isWanted?: () => boolean;
  /** Size of the parts that worked for an earlier summary by this model. */
  readonly partTokens?: number | undefined;
  /** Called before each request: its index, the number of requests, and the tokens that are sent. */
  onSend?(done: number, total: number, tokens: number): void;
}

/** Tokens of the instructions around a part. */
const FRAME_TOKENS = 400;
/** Share of the context that is used, because our estimate differs from the model's count. */
const SAFETY = 0.8;
/** An answer that is longer than this factor times the requested length is refused. */
const MAX_LENGTH_FACTOR = 3;
const MIN_PART_TOKENS = 300;
const NOTES_TOKENS = 400;
/** More requests would take about an hour and cost much. */
const MAX_PARTS = 64;
const MAX_SPLITS = 4;
const MAX_ROUNDS = 4;
const LARGE_CONTEXT = 16_000;

/**
 * Throws as `complete` does, and TOO_LARGE if the conversation needs too many parts for this model. If the
 * model has answered some of the requests before the error, the outcome is `unknown`, because these answers
 * would be paid for again.
 */
export async function summariseWith(
  usable: UsableModel,
  conversation: Conversation,
  level: SummaryLevel,
  call: ModelCall,
): Promise<ModelSummary> {
  let answers = 0;
  const complete = async (request: CompletionRequest) => {
    const answer = await usable.model.complete(request);
    answers += 1;
    return answer;
  };
  try {
    return await inFittingParts({ ...usable, model: { complete } }, conversation, level, call);
  } catch (error) {
    if (answers === 0 || !isAppError(error)) throw error;
    throw withUnknownOutcome(error);
  }
}

async function inFittingParts(
  usable: UsableModel,
  conversation: Conversation,
  level: SummaryLevel,
  call: ModelCall,
): Promise<ModelSummary> {
  const blocks = transcriptOf(conversation);
  let partTokens = call.partTokens ?? roomForPart(usable, level);
  for (let shrinks = 0; ; shrinks += 1) {
    try {
      return await attempt(usable, blocks, level, { ...call, partTokens });
    } catch (error) {
      if (!(error instanceof PartsTooLargeError)) throw error;
      partTokens = Math.floor(Math.min(error.tokens, partTokens) / 2);
      if (shrinks === MAX_SPLITS || partTokens < MIN_PART_TOKENS) throw error.reason;
    }
  }
}

/** Thrown if a request with this number of tokens was too large; `reason` is its error. */
class PartsTooLargeError extends Error {
  readonly tokens: number;
  readonly reason: AppError;

  constructor(tokens: number, reason: AppError) {
    super(reason.message, { cause: reason });
    this.tokens = tokens;
    this.reason = reason;
  }
}

type Attempt = ModelCall & { readonly partTokens: number };

async function attempt(
  usable: UsableModel,
  blocks: readonly string[],
  level: SummaryLevel,
  call: Attempt,
): Promise<ModelSummary> {
  let parts = partsOf(blocks, call.partTokens);
  const total = parts.length > 1 ? parts.length + 1 : 1;
  let done = 0;
  const send = async (prompt: string, tokens: number) => {
    if (call.isWanted?.() === false) throw cancelled();
    call.onSend?.(done, Math.max(total, done + 1), estimateTextTokens(prompt));
    done += 1;
    return requestSummary(usable, prompt, tokens, call);
  };
  let isNotes = false;
  for (let round = 0; parts.length > 1; round += 1) {
    if (parts.length > MAX_PARTS || round === MAX_ROUNDS) throw tooManyParts(usable, parts.length);
    const notes: string[] = [];
    for (const [at, part] of parts.entries()) {
      const prompt = notesPrompt(part, at + 1, parts.length, Math.round(NOTES_TOKENS * 0.75));
      notes.push((await send(prompt, NOTES_TOKENS)).text);
    }
    parts = partsOf(notes, call.partTokens);
    isNotes = true;
  }
  const { text, model } = await send(
    summaryPrompt(parts[0] ?? '', level, isNotes),
    LEVEL_TOKENS[level],
  );
  return { text, model, partTokens: call.partTokens };
}

async function requestSummary(
  usable: UsableModel,
  prompt: string,
  wantedTokens: number,
  { signal, isWanted }: ModelCall,
) {
  const tokens = estimateTextTokens(prompt);
  const maxTokens = answerTokens(usable, wantedTokens);
  try {
    const answer = await usable.model.complete({
      system: SYSTEM_PROMPT,
      prompt,
      maxTokens,
      signal,
      isWanted,
    });
    if (isTruncated(`${SYSTEM_PROMPT}\n${prompt}`, answer.promptTokens)) {
      throw new PartsTooLargeError(
        answer.promptTokens ?? tokens,
        truncated(usable.name, answer.promptTokens),
      );
    }
    const length = estimateTextTokens(answer.text);
    if (length <= Math.max(wantedTokens, NOTES_TOKENS) * MAX_LENGTH_FACTOR) return answer;
    throw new AppError(
      'PROVIDER',
      `${usable.name} wrote a summary of ${countOf(length, 'token')}, but ${wantedTokens} were requested.`,
      {
        details: { provider: usable.name },
      },
    );
  } catch (error) {
    if (isAppError(error, 'TOO_LARGE')) throw new PartsTooLargeError(tokens, error);
    throw error;
  }
}

/** Tokens of the conversation that fit into one request. */
function roomForPart(usable: UsableModel, level: SummaryLevel): number {
  const answer = answerTokens(usable, Math.max(LEVEL_TOKENS[level], NOTES_TOKENS));
  const room = Math.floor(usable.contextTokens * SAFETY) - FRAME_TOKENS - answer;
  return Math.max(MIN_PART_TOKENS, room);
}

/** Models that think before they answer need more tokens, if the context is large enough. */
function answerTokens({ contextTokens, maxTokens }: UsableModel, wanted: number): number {
  return contextTokens >= LARGE_CONTEXT ? maxTokens : Math.min(maxTokens, wanted * 2);
}

/** Joins blocks to parts up to the limit, and splits blocks that are longer. At least one part. */
function partsOf(blocks: readonly string[], tokens: number): string[] {
  const parts: string[] = [];
  let current = '';
  for (const piece of blocks.flatMap((block) => piecesOf(block, tokens))) {
    const joined = current === '' ? piece : `${current}\n\n${piece}`;
    if (current !== '' && estimateTextTokens(joined) > tokens) {
      parts.push(current);
      current = piece;
    } else current = joined;
  }
  return [...parts, current];
}

function piecesOf(block: string, tokens: number): string[] {
  if (estimateTextTokens(block) <= tokens) return [block];
  const pieces: string[] = [];
  for (let from = 0; from < block.length; ) {
    const end = endWithin(block, from, tokens);
    pieces.push(block.slice(from, end));
    from = end;
  }
  return pieces;
}

export const cancelled = () =>
  new AppError('CANCELLED', 'The summary was cancelled.', {
    details: { outcome: 'not_sent' satisfies RequestOutcome },
  });

function truncated(name: string, promptTokens: number | undefined): AppError {
  return new AppError(
    'PROVIDER',
    `${name} used only the first ${promptTokens} tokens of the request, without an error.`,
    {
      hint: 'Give the server a larger context (Ollama: num_ctx), or set contextTokens of the provider to the real size of its context.',
      details: { provider: name, promptTokens },
    },
  );
}

function tooManyParts({ name, contextTokens }: UsableModel, parts: number): AppError {
  return new AppError(
    'TOO_LARGE',
    `The conversation is too long for ${name}: it would need more than ${parts - 1} requests.`,
    {
      hint: `The context of the provider is set to ${contextTokens} tokens. If the model has a larger context, set contextTokens of the provider to its size.`,
      details: { provider: name, parts },
    },
  );
}

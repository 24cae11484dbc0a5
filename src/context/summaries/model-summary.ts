/**
 * One summary by one language model: at once where the conversation fits into its context, else in
 * parts (notes on each part, then a summary of the notes). Where the model refuses a text as too long,
 * or its server cuts it without an error (fewer tokens counted than the text has), the parts get smaller.
 */
import { AppError, isAppError } from '../../base/errors.js';
import { endWithin, estimateTextTokens } from '../../base/tokens.js';
import type { LanguageModel } from '../../providers/llm/completion.js';
import { isTruncated } from '../../providers/llm/token-floor.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import type { SummaryLevel } from '../../stores/summaries/summary-file.js';
import { LEVEL_TOKENS } from './levels.js';
import { notesPrompt, SYSTEM_PROMPT, summaryPrompt, transcriptOf } from './summary-prompts.js';

export interface UsableModel {
  readonly name: string;
  readonly model: LanguageModel;
  /** Tokens of one request, answer included. */
  readonly contextTokens: number;
  /** Most tokens of one answer. */
  readonly maxTokens: number;
}

export interface ModelSummary {
  readonly text: string;
  /** As the server names the model. */
  readonly model: string;
  /** The size of parts that worked, for the next time. */
  readonly partTokens: number;
}

export interface ModelCall {
  readonly signal?: AbortSignal | undefined;
  /** Where an earlier summary by this model found it. */
  readonly partTokens?: number | undefined;
  /** Before each request: which of how many is sent, with how many tokens. */
  onSend?(done: number, total: number, tokens: number): void;
}

/** The instructions around a part. */
const FRAME_TOKENS = 400;
/** Of the context: what is left for the difference between our count and the model's. */
const SAFETY = 0.8;
/** An answer may be longer than it was asked to be, but not a different thing. */
const MOST_TIMES_LONGER = 3;
const LEAST_PART_TOKENS = 300;
const NOTES_TOKENS = 400;
/** More requests than these would take an hour and cost accordingly. */
const MOST_PARTS = 64;
const MOST_SHRINKS = 4;
const MOST_ROUNDS = 4;
const LARGE_CONTEXT = 16_000;

/** Throws as `complete` does; TOO_LARGE where the conversation has too many parts for this model. */
export async function summariseWith(
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
      if (!(error instanceof Shrink)) throw error;
      partTokens = Math.floor(Math.min(error.tokens, partTokens) / 2);
      if (shrinks === MOST_SHRINKS || partTokens < LEAST_PART_TOKENS) throw error.reason;
    }
  }
}

/** The parts were too large: `tokens` were too many, for this reason. */
class Shrink extends Error {
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
    call.onSend?.(done, Math.max(total, done + 1), estimateTextTokens(prompt));
    done += 1;
    return completed(usable, prompt, tokens, call.signal);
  };
  let isNotes = false;
  for (let round = 0; parts.length > 1; round += 1) {
    if (parts.length > MOST_PARTS || round === MOST_ROUNDS)
      throw tooManyParts(usable, parts.length);
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

async function completed(
  usable: UsableModel,
  prompt: string,
  wantedTokens: number,
  signal: AbortSignal | undefined,
) {
  const tokens = estimateTextTokens(prompt);
  const maxTokens = answerTokens(usable, wantedTokens);
  try {
    const answer = await usable.model.complete({
      system: SYSTEM_PROMPT,
      prompt,
      maxTokens,
      signal,
    });
    if (isTruncated(`${SYSTEM_PROMPT}\n${prompt}`, answer.promptTokens)) {
      throw new Shrink(answer.promptTokens ?? tokens, truncated(usable.name, answer.promptTokens));
    }
    const length = estimateTextTokens(answer.text);
    if (length <= Math.max(wantedTokens, NOTES_TOKENS) * MOST_TIMES_LONGER) return answer;
    throw new AppError(
      'PROVIDER',
      `${usable.name} wrote a summary of ${length} tokens, but ${wantedTokens} were requested.`,
      {
        details: { provider: usable.name },
      },
    );
  } catch (error) {
    if (isAppError(error, 'TOO_LARGE')) throw new Shrink(tokens, error);
    throw error;
  }
}

/** What one request can hold of a conversation. */
function roomForPart(usable: UsableModel, level: SummaryLevel): number {
  const answer = answerTokens(usable, Math.max(LEVEL_TOKENS[level], NOTES_TOKENS));
  const room = Math.floor(usable.contextTokens * SAFETY) - FRAME_TOKENS - answer;
  return Math.max(LEAST_PART_TOKENS, room);
}

/** Models that think before they answer need room for it, where there is any. */
function answerTokens({ contextTokens, maxTokens }: UsableModel, wanted: number): number {
  return contextTokens >= LARGE_CONTEXT ? maxTokens : Math.min(maxTokens, wanted * 2);
}

/** Blocks joined as far as they fit; a longer one is cut. At least one part. */
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

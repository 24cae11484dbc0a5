/**
 * Summaries of conversations on three levels: what is stored and still about the conversation as it
 * is, else one that is made now. A language model writes it where the user allowed one, the extractive
 * one otherwise. Whatever a model does wrong, what is stored stays as it was.
 */

import { type Clock, isoTime } from '../../base/clock.js';
import { type AppError, isAppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { TimeSlice } from '../../base/time-slice.js';
import { estimateTextTokens } from '../../base/tokens.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import {
  type StoredSummary,
  type Summaries,
  type Summary,
  type SummaryLevel,
  sourceHashOf,
} from '../../stores/summaries/summary-file.js';
import type { SummaryStore } from '../../stores/summaries/summary-store.js';
import { extractSummary } from './extract.js';
import { qualityOf } from './quality.js';

/** The name in `provider` of summaries that no language model wrote. */
export const EXTRACTIVE = 'extractive';

/** What language models wrote, as far as this room knows them. */
export interface SummaryWriter {
  /** Whether a model is allowed now. Sends nothing. */
  isReady(): Promise<boolean>;
  /** `undefined` where none is allowed. Throws what the last of them refused with. */
  write(
    conversation: Conversation,
    level: SummaryLevel,
    call: SummaryCall,
  ): Promise<{ text: string; provider: string; model: string } | undefined>;
}

export interface SummaryCall {
  readonly signal?: AbortSignal | undefined;
  progress?(done: number, total: number, message: string): void;
}

export interface SummaryRequest extends SummaryCall {
  /** Writes it again even if the stored one is current. */
  readonly refresh?: boolean;
  /** False: no language model is asked, and what one wrote earlier is kept however old. */
  readonly usesModels: boolean;
}

export interface SummaryAnswer {
  /** Missing if there is no message. */
  readonly summary?: Summary;
  /** It is about an earlier state of the conversation. */
  readonly isStale: boolean;
  readonly isStored: boolean;
  /** Why it is not better than it is: a model that failed, a file that cannot be written. */
  readonly problem?: AppError;
}

export interface SummaryServiceOptions {
  readonly conversations: ConversationStore;
  readonly store: SummaryStore;
  readonly writer?: SummaryWriter;
  readonly clock: Clock;
  readonly log: Log;
}

export class SummaryService {
  readonly #options: SummaryServiceOptions;

  constructor(options: SummaryServiceOptions) {
    this.#options = options;
  }

  /**
   * The summary of a level; a new one is durable when it resolves with `isStored`. A damaged
   * `summaries.json` is left alone and reported in `problem`. Throws like `load` of the conversations,
   * and CANCELLED.
   */
  async get(ref: string, level: SummaryLevel, request: SummaryRequest): Promise<SummaryAnswer> {
    const conversation = await this.#options.conversations.load(ref);
    const { stored, problem } = await this.#stored(conversation.conversationId);
    const known = stored[level];
    const isCurrent = known?.sourceHash === sourceHashOf(conversation.messages);
    const mayAsk = request.usesModels && (await this.#mayAskModel());
    const isGoodEnough = isCurrent && (known.provider !== EXTRACTIVE || !mayAsk);
    if (isGoodEnough && !request.refresh) return { summary: known, isStale: false, isStored: true };
    const isKept = known !== undefined && known.provider !== EXTRACTIVE && !request.usesModels;
    if (isKept && !request.refresh) return { summary: known, isStale: true, isStored: true };
    const made = await this.#make(
      conversation,
      level,
      { known, isCurrent },
      mayAsk ? request : undefined,
      request,
    );
    if (made.text === undefined) {
      return {
        ...(known && { summary: known }),
        isStale: !isCurrent,
        isStored: known !== undefined,
        ...problemOf(made.problem ?? problem),
      };
    }
    const summary = this.#facts(conversation, made.text);
    if (problem !== undefined)
      return { summary: unstored(summary, level), isStale: false, isStored: false, problem };
    return this.#keep(conversation.conversationId, level, summary, made.problem);
  }

  /** What is stored of each level, and whether it is about what is there now. Asks and makes nothing. */
  async stored(conversation: Conversation): Promise<{ summaries: Summaries; hash: string }> {
    const { stored } = await this.#stored(conversation.conversationId);
    return { summaries: stored, hash: sourceHashOf(conversation.messages) };
  }

  /** Of the given messages alone, extractive and never stored; `undefined` if there is no message. */
  async ofPart(
    conversation: Conversation,
    level: SummaryLevel,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    return extractSummary(conversation, level, new TimeSlice({ signal: signal }));
  }

  async #mayAskModel(): Promise<boolean> {
    return (await this.#options.writer?.isReady()) ?? false;
  }

  async #stored(conversationId: string): Promise<{ stored: Summaries; problem?: AppError }> {
    try {
      return { stored: await this.#options.store.get(conversationId) };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { stored: {}, problem: error };
    }
  }

  /** No text: what is known is better than anything that can be made now. */
  async #make(
    conversation: Conversation,
    level: SummaryLevel,
    { known, isCurrent }: { known: Summary | undefined; isCurrent: boolean },
    asking: SummaryCall | undefined,
    { signal }: SummaryCall,
  ): Promise<Made> {
    let problem: AppError | undefined;
    if (asking !== undefined) {
      try {
        const written = await this.#options.writer?.write(conversation, level, asking);
        if (written !== undefined) return { text: written };
      } catch (error) {
        if (!isAppError(error) || error.code === 'CANCELLED') throw error;
        problem = error;
      }
    }
    const isByModel = known !== undefined && known.provider !== EXTRACTIVE;
    if (problem !== undefined && (isByModel || isCurrent)) return { problem };
    const text = await extractSummary(conversation, level, new TimeSlice({ signal: signal }));
    return text === undefined
      ? problemOf(problem)
      : { text: { text, provider: EXTRACTIVE }, ...problemOf(problem) };
  }

  async #keep(
    conversationId: string,
    level: SummaryLevel,
    summary: StoredSummary,
    problem: AppError | undefined,
  ): Promise<SummaryAnswer> {
    try {
      const kept = await this.#options.store.put(conversationId, level, summary);
      return { summary: kept, isStale: false, isStored: true, ...problemOf(problem) };
    } catch (error) {
      if (!isAppError(error) || error.code === 'CONVERSATION_NOT_FOUND') throw error;
      this.#options.log.warn({ err: error, conversationId }, 'a summary was not stored');
      return { summary: unstored(summary, level), isStale: false, isStored: false, problem: error };
    }
  }

  #facts(conversation: Conversation, written: Written): StoredSummary {
    const dialogue = conversation.messages.filter(({ role }) => role !== 'system');
    const [first, last] = [dialogue[0], dialogue.at(-1)];
    return {
      ...written,
      messageCount: dialogue.length,
      ...(first && { startMessageId: first.id }),
      ...(last && { endMessageId: last.id }),
      sourceHash: sourceHashOf(conversation.messages),
      qualityScore: qualityOf(written.text, conversation),
      generatedAt: isoTime(this.#options.clock.now()),
    };
  }
}

interface Written {
  readonly text: string;
  readonly provider: string;
  readonly model?: string;
}

interface Made {
  readonly text?: Written;
  readonly problem?: AppError;
}

const problemOf = (problem: AppError | undefined) => (problem === undefined ? {} : { problem });

const unstored = (summary: StoredSummary, level: SummaryLevel): Summary => ({
  ...summary,
  level,
  tokenCount: estimateTextTokens(summary.text),
});

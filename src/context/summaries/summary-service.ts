/**
 * Summaries of conversations on three levels. A stored summary is returned if the conversation has not
 * changed since; otherwise a new one is made, by a language model if the user has allowed one, else by
 * extraction. A failure of a model never changes a stored summary.
 */

import type { GracePeriod } from '../../base/async/grace-period.js';
import { PendingWork } from '../../base/async/pending-work.js';
import { TimeSlice } from '../../base/async/time-slice.js';
import { type Clock, isoTime, settledOrLater } from '../../base/clock.js';
import { AppError, isAppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { estimateTextTokens } from '../../base/text/estimate-tokens.js';
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
import { extractSummary } from './extractive-summary.js';
import { qualityOf } from './quality.js';

/** The `provider` of extractive summaries. */
const EXTRACTIVE = 'extractive';
/** The time after which a call looks again whether the other call has ended. */
const WAIT_MS = 60_000;

/** Language models behind an interface, so that this service does not depend on providers. */
export interface SummaryWriter {
  /** Whether a model is allowed now. True if the list of models cannot be read. Sends nothing. */
  isReady(): Promise<boolean>;
  /**
   * `undefined` if no model is allowed. Throws an error with the reasons if all models failed, or the error of the
   * list of models.
   */
  write(
    conversation: Conversation,
    level: SummaryLevel,
    call: SummaryCall,
  ): Promise<{ text: string; provider: string; model: string } | undefined>;
}

export interface SummaryCall {
  readonly signal?: AbortSignal | undefined;
  /** True: makes a new summary even if the stored one is current, or the model failed a moment ago. */
  readonly refresh?: boolean;
  /** True: a request that failed after it may have been paid for is not repeated until the conversation changes. */
  readonly isBackground?: boolean;
  progress?(done: number, total: number, message: string): void;
}

export interface SummaryRequest extends SummaryCall {
  /** False: no language model is called, and a stored summary by a model is kept, even if it is stale. */
  readonly usesModels: boolean;
}

export interface SummaryAnswer {
  /** Absent if the conversation has no message. */
  readonly summary?: Summary;
  /** True if the conversation has changed since the summary was made. */
  readonly isStale: boolean;
  readonly isStored: boolean;
  /** Why the summary is not current, not by a model, or not stored. */
  readonly problem?: AppError;
}

export interface SummaryServiceOptions {
  readonly conversations: ConversationStore;
  readonly store: SummaryStore;
  readonly writer?: SummaryWriter;
  readonly grace: GracePeriod;
  readonly clock: Clock;
  readonly log: Log;
}

export class SummaryService {
  readonly #options: SummaryServiceOptions;
  /** By conversation and level: the call that may ask a model now. */
  readonly #running = new Map<string, Run>();
  readonly #making = new PendingWork();
  /** The summaries by a model that could not be stored. They are stored at the next call. */
  readonly #unstored = new Map<string, StoredSummary>();

  constructor(options: SummaryServiceOptions) {
    this.#options = options;
  }

  /**
   * The summary of a level. A new one is durable when the promise resolves with `isStored`. Calls at the same time
   * share one request to a model. If the caller cancels, a summary whose last request was sent is still stored. A
   * damaged `summaries.json` is not changed and is reported in `problem`; then no model is called. Throws like
   * `load` of the conversations, and CANCELLED.
   */
  async get(ref: string, level: SummaryLevel, request: SummaryRequest): Promise<SummaryAnswer> {
    const conversation = await this.#options.conversations.load(ref);
    const { conversationId } = conversation;
    const key = keyOf(conversationId, level);
    const other = this.#running.get(key);
    if (other !== undefined && request.usesModels) {
      await settledOrLater(other.ended, WAIT_MS, request.signal);
      request.signal?.throwIfAborted();
      const { made } = other;
      return made === undefined || made.isStale ? this.get(ref, level, request) : made;
    }
    const run: Run = { ended: Promise.resolve(), isNew: false };
    const made = this.#get(conversation, level, request, run);
    if (!request.usesModels) return made;
    const answer = this.#making.track(made);
    run.ended = answer.then(
      (made) => {
        if (run.isNew) run.made = made;
      },
      () => undefined,
    );
    this.#running.set(key, run);
    const ended = answer.finally(() => this.#running.delete(key));
    return this.#options.grace.untilLeft(ended, request.signal, leftError);
  }

  /** Resolves when the summaries are stored whose requests to a model were sent. */
  async close(): Promise<void> {
    this.#options.grace.begin();
    await this.#making.idle();
  }

  async #get(
    conversation: Conversation,
    level: SummaryLevel,
    request: SummaryRequest,
    run: Run,
  ): Promise<SummaryAnswer> {
    const { conversationId } = conversation;
    const { stored, problem } = await this.#stored(conversationId);
    // A stored summary would have only removed texts, and a model would be paid for nothing.
    if (!hasDialogue(conversation))
      return { isStale: true, isStored: false, ...problemOf(problem) };
    const known = stored[level];
    const hash = sourceHashOf(conversation.messages);
    const isCurrent = known?.sourceHash === hash;
    // A summary that cannot be stored would be paid for at every request.
    const mayAsk = request.usesModels && problem === undefined && (await this.#mayAskModel());
    const isByModel = known !== undefined && known.provider !== EXTRACTIVE;
    const isGoodEnough = isCurrent && (isByModel || !mayAsk);
    if (isGoodEnough && !request.refresh) return { summary: known, isStale: false, isStored: true };
    const paid = this.#unstored.get(keyOf(conversationId, level));
    const isUsable = paid?.sourceHash === hash && problem === undefined;
    if (isUsable && !request.refresh) return this.#keep(conversationId, level, paid, undefined);
    const isKept = isByModel && !request.usesModels;
    if (isKept && !request.refresh) return { summary: known, isStale: true, isStored: true };
    run.isNew = true;
    const made = await this.#make(conversation, level, request, {
      mayAsk,
      keepsStored: isByModel || isCurrent,
    });
    if (made.text === undefined) {
      return {
        ...(known && { summary: known }),
        isStale: !isCurrent,
        isStored: known !== undefined,
        ...problemOf(made.problem ?? problem),
      };
    }
    const isPaid = made.text.provider !== EXTRACTIVE;
    const summary = await this.#facts(conversation, made.text, isPaid ? {} : request);
    if (problem !== undefined)
      return { summary: unstored(summary, level), isStale: false, isStored: false, problem };
    return this.#keep(conversationId, level, summary, made.problem);
  }

  /** The stored summaries; none if their file cannot be read. Makes no summary. */
  async stored(conversationId: string): Promise<Summaries> {
    return (await this.#stored(conversationId)).stored;
  }

  /** An extractive summary of some messages of `whole`, which is not stored; `undefined` if there is none. */
  async ofPart(
    whole: Conversation,
    messages: Conversation['messages'],
    level: SummaryLevel,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    return extractSummary({ ...whole, messages }, level, new TimeSlice({ signal }), whole);
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

  /** `keepsStored`: no extractive summary is made if a model failed, because the stored summary is better. */
  async #make(
    conversation: Conversation,
    level: SummaryLevel,
    request: SummaryRequest,
    { mayAsk, keepsStored }: { mayAsk: boolean; keepsStored: boolean },
  ): Promise<Made> {
    let problem: AppError | undefined;
    if (mayAsk) {
      try {
        const written = await this.#options.writer?.write(conversation, level, request);
        if (written !== undefined) return { text: written };
      } catch (error) {
        if (!isAppError(error) || error.code === 'CANCELLED') throw error;
        problem = error;
      }
    }
    if (problem !== undefined && keepsStored) return { problem };
    const slice = new TimeSlice({ signal: request.signal });
    const text = await extractSummary(conversation, level, slice);
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
    const key = keyOf(conversationId, level);
    this.#unstored.delete(key);
    try {
      const kept = await this.#options.store.put(conversationId, level, summary, {
        isNew: true,
      });
      const isStale = await this.#isStale(conversationId, kept);
      return { summary: kept, isStale, isStored: true, ...problemOf(problem) };
    } catch (error) {
      if (!isAppError(error) || error.code === 'CONVERSATION_NOT_FOUND') throw error;
      this.#options.log.warn({ err: error, conversationId }, 'a summary was not stored');
      // After a CONFLICT it has text that was changed or removed.
      if (summary.provider !== EXTRACTIVE && error.code !== 'CONFLICT')
        this.#unstored.set(key, summary);
      return {
        summary: unstored(summary, level),
        isStale: await this.#isStale(conversationId, summary),
        isStored: false,
        problem: error,
      };
    }
  }

  /** Whether the conversation has changed while the summary was made. */
  async #isStale(conversationId: string, { sourceHash }: StoredSummary): Promise<boolean> {
    const { messages } = await this.#options.conversations.load(conversationId);
    return sourceHashOf(messages) !== sourceHash;
  }

  async #facts(
    conversation: Conversation,
    written: Written,
    { signal }: SummaryCall,
  ): Promise<StoredSummary> {
    const dialogue = conversation.messages.filter(({ role }) => role !== 'system');
    const [first, last] = [dialogue[0], dialogue.at(-1)];
    return {
      ...written,
      messageCount: dialogue.length,
      ...(first && { startMessageId: first.id }),
      ...(last && { endMessageId: last.id }),
      sourceHash: sourceHashOf(conversation.messages),
      qualityScore: await qualityOf(written.text, conversation, new TimeSlice({ signal })),
      generatedAt: isoTime(this.#options.clock.now()),
    };
  }
}

interface Run {
  /** Resolves when the call has ended, also after an error. */
  ended: Promise<void>;
  /** True if the call makes a new summary. */
  isNew: boolean;
  /** Set when the call has made a new summary, or could not make one. Unset after an error, such as CANCELLED. */
  made?: SummaryAnswer;
}

const hasDialogue = ({ messages }: Conversation) =>
  messages.some(({ role, content }) => role !== 'system' && content.trim() !== '');

const keyOf = (conversationId: string, level: SummaryLevel) => `${conversationId} ${level}`;

type Written = Pick<StoredSummary, 'text' | 'provider' | 'model'>;

interface Made {
  readonly text?: Written;
  readonly problem?: AppError;
}

const leftError = () => new AppError('CANCELLED', 'The call was cancelled.');

const problemOf = (problem: AppError | undefined) => (problem === undefined ? {} : { problem });

const unstored = (summary: StoredSummary, level: SummaryLevel): Summary => ({
  ...summary,
  level,
  tokenCount: estimateTextTokens(summary.text),
});

/**
 * Sends the request of a search or of its follow-up, and stores question and answer. Both happen also if the caller
 * cancels after the request was sent (paid-requests.ts).
 */
import { sleep } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import type { PerplexityAnswer } from '../providers/perplexity-answer.js';
import type { PreparedRequest } from '../providers/perplexity-types.js';
import { answerForCaller, notesFor } from './answer-notes.js';
import type { PaidRequest, PaidRequests } from './paid-requests.js';
import { requirePerplexity } from './request-checks.js';
import { asConversationError, leftSearchError } from './research-errors.js';
import type { Caller, Question, ResearchDeps, ResearchResult } from './research-types.js';
import { toStoredExchange } from './stored-exchange.js';

interface SearchesDeps extends Pick<ResearchDeps, 'store' | 'perplexity' | 'log'> {
  readonly requests: PaidRequests;
  readonly storeAgainMs: number;
}

export class Searches {
  readonly #deps: SearchesDeps;

  constructor(deps: SearchesDeps) {
    this.#deps = deps;
  }

  /** `write` stores the exchange and returns the id of the conversation. Throws CANCELLED if the caller cancels. */
  async ask(
    prepared: PreparedRequest,
    conversationId: string | undefined,
    question: Question,
    caller: Caller,
    write: (exchange: ReturnType<typeof toStoredExchange>) => Promise<string>,
  ): Promise<ResearchResult> {
    caller.progress?.({ progress: 0, message: 'Perplexity is searching' });
    const key = JSON.stringify([conversationId, prepared.body, question.showThinking]);
    const whenLeft = () => leftSearchError(conversationId);
    return this.#deps.requests.run(key, caller.signal, whenLeft, async (request) => {
      const answer = await this.#answer(prepared, conversationId, request);
      const { backend, hasThinking } = requirePerplexity(this.#deps.perplexity);
      const notes = notesFor(prepared.notes, answer, question, hasThinking);
      const exchange = toStoredExchange(question.query, answer, { kind: 'search', backend, notes });
      return this.#stored(question, answer, notes, request, () => write(exchange));
    });
  }

  async #answer(
    prepared: PreparedRequest,
    conversationId: string | undefined,
    request: PaidRequest,
  ): Promise<PerplexityAnswer> {
    try {
      const answer = await requirePerplexity(this.#deps.perplexity).ask(prepared, request);
      if (answer.text.trim() !== '') return answer;
      throw new AppError('PROVIDER', 'Perplexity returned an empty answer.', {
        details: { outcome: 'unknown' },
      });
    } catch (error) {
      throw asConversationError(error, conversationId);
    }
  }

  /**
   * Stores the paid answer of a search and returns it. A failed write is reported in the result, or repeated if no
   * caller waits for the result.
   */
  async #stored(
    question: Question,
    answer: PerplexityAnswer,
    notes: readonly string[],
    request: PaidRequest,
    write: () => Promise<string>,
  ): Promise<ResearchResult> {
    const shown = {
      kind: 'search',
      status: 'completed',
      answer: answerForCaller(answer, question),
      notes,
    } as const;
    for (;;) {
      try {
        const conversationId = await write();
        const conversationPath = this.#deps.store.path(conversationId);
        return { ...shown, conversationId, conversationPath, isFollowup: false, saved: true };
      } catch (error) {
        this.#deps.log.error({ err: error }, 'a paid answer could not be stored');
        const isReturned = request.isWanted() || request.signal.aborted;
        if (isReturned || !isAppError(error) || !error.retryable) {
          const notSavedReason = isAppError(error) ? error.message : 'internal error';
          return { ...shown, isFollowup: false, saved: false, notSavedReason };
        }
      }
      await sleep(this.#deps.storeAgainMs, request.signal).catch(() => undefined);
    }
  }
}

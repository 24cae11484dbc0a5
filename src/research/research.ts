/**
 * Research conversations with Perplexity: searches, deep research, and follow-ups to both. Question and
 * answer are stored together when the answer has arrived, so an error of the API does not change the file.
 * All checks (request-checks.ts) are made before the request costs money. A paid answer is returned even if
 * it cannot be stored.
 */

import { isoTime } from '../base/clock.js';
import { isAppError } from '../base/errors.js';
import type { Lease } from '../files/locks/lease.js';
import type { AskKind, Perplexity, PreparedRequest } from '../providers/perplexity-types.js';
import type { Conversation } from '../stores/conversations/document/schema.js';
import type { ResearchJob } from '../stores/research-jobs/research-job-schema.js';
import { maskedBy } from '../stores/text-masker.js';
import { answerForCaller, notesOnMasked } from './answer-notes.js';
import { DeepResearchRuns } from './deep-research-runs.js';
import { PaidRequests } from './paid-requests.js';
import { systemPromptFor, titleFrom } from './prompts.js';
import {
  refuseUnfinished,
  refuseWhenCancelled,
  requirePerplexity,
  requireRoomForAnswer,
} from './request-checks.js';
import { toSentMessages } from './request-messages.js';
import { refuseMissing, unfinishedRunError } from './research-errors.js';
import type {
  Caller,
  FollowupQuestion,
  Question,
  ResearchDeps,
  ResearchHistory,
  ResearchResult,
  RunReport,
} from './research-types.js';
import { newJob, type RunHandle } from './run-record.js';
import { hasEnded, toRunReport } from './run-report.js';
import { Searches } from './searches.js';
import { hasResponse } from './stored-exchange.js';
import { DEFAULT_TIMING, type ResearchTiming } from './timing.js';
import { outcomeWithin } from './wait-for-run.js';

type MaskedQuestion = Question & { readonly masked: readonly string[] };

/** `ref` is a conversation id or a client key. */
export class Research {
  readonly #deps: ResearchDeps;
  readonly #timing: ResearchTiming;
  readonly #requests: PaidRequests;
  readonly #searches: Searches;
  readonly #runs: DeepResearchRuns;
  /** By request: new deep research that is running and that no call waits for. */
  readonly #unwatched = new Map<string, RunHandle>();

  constructor(deps: ResearchDeps) {
    this.#deps = deps;
    this.#timing = { ...DEFAULT_TIMING, ...deps.timing };
    this.#requests = new PaidRequests(deps.grace);
    const requests = this.#requests;
    const { storeAgainMs } = this.#timing;
    this.#searches = new Searches({ ...deps, requests, storeAgainMs });
    this.#runs = new DeepResearchRuns({ ...deps, requests, timing: this.#timing });
  }

  async search(given: Question, caller: Caller = {}): Promise<ResearchResult> {
    const { store } = this.#deps;
    const question = await this.#masked(given);
    const prepared = this.#prepare('search', [], question);
    await this.#deps.requireRoom?.();
    return this.#searches.ask(prepared, undefined, question, caller, async (exchange) => {
      const conversation = await store.create({
        title: titleFrom(question.query),
        messages: [{ role: 'system', content: systemPromptFor('search') }, ...exchange],
        mayDefer: true,
      });
      return conversation.conversationId;
    });
  }

  async searchFollowup(
    ref: string,
    given: FollowupQuestion,
    caller: Caller = {},
  ): Promise<ResearchResult> {
    const { store } = this.#deps;
    const question = await this.#masked(given);
    const { conversation, job } = await this.#openForFollowup(ref, question);
    const { conversationId } = conversation;
    const prepared = this.#prepare('search', conversation.messages, question);
    const result = await this.#searches.ask(
      prepared,
      conversationId,
      question,
      caller,
      async (exchange) => {
        await store.append(conversationId, exchange, { mayDefer: true });
        if (job !== undefined) await this.#clearEnded(conversationId);
        return conversationId;
      },
    );
    return { ...result, ...this.#place(conversationId), isFollowup: true };
  }

  /**
   * May return `in_progress`; the run continues without the caller. The same question while no call waits for its
   * run waits for that run, and costs nothing.
   */
  async deepResearch(given: Question, caller: Caller = {}): Promise<ResearchResult> {
    const question = await this.#masked(given);
    const prepared = this.#prepare('deep_research', [], question);
    const key = JSON.stringify(prepared.body);
    const handle = this.#unwatched.get(key) ?? (await this.#beginNew(question, prepared, caller));
    this.#unwatched.delete(key);
    try {
      return { ...(await this.#wait(handle, question, caller)), isFollowup: false };
    } finally {
      this.#unwatched.set(key, handle);
      const forget = () => {
        if (this.#unwatched.get(key) === handle) this.#unwatched.delete(key);
      };
      void handle.done.then(forget, forget);
    }
  }

  async #beginNew(
    question: MaskedQuestion,
    prepared: PreparedRequest,
    caller: Caller,
  ): Promise<RunHandle> {
    const { store, jobs } = this.#deps;
    await this.#deps.requireRoom?.();
    refuseWhenCancelled(caller);
    // Until the answer is stored, the question is in job.json, so that a crash leaves no unanswered
    // question in the conversation.
    const { conversationId } = await store.create({
      title: titleFrom(question.query),
      messages: [{ role: 'system', content: systemPromptFor('deep_research') }],
    });
    const lease = await this.#leaseFor(conversationId).catch(async (error: unknown) => {
      await this.#quietly(jobs.discard(conversationId), conversationId);
      throw error;
    });
    const job = this.#newJob(question, prepared, true);
    return this.#runs.begin(conversationId, lease, job, prepared);
  }

  async deepResearchFollowup(
    ref: string,
    given: FollowupQuestion,
    caller: Caller = {},
  ): Promise<ResearchResult> {
    const question = await this.#masked(given);
    const { conversationId } = (await this.#openForFollowup(ref, question)).conversation;
    refuseWhenCancelled(caller);
    const lease = await this.#leaseFor(conversationId);
    const handle = await this.#beginFollowup(conversationId, lease, question);
    return { ...(await this.#wait(handle, question, caller)), isFollowup: true };
  }

  /** The conversation and its run. Takes over a run that no process follows. */
  async history(ref: string): Promise<ResearchHistory> {
    const { store } = this.#deps;
    const { conversationId } = (await store.part(ref, { count: 0 })).head;
    const run = await this.#runReport(conversationId);
    const place = this.#place(conversationId);
    // Another process has stored the answer but not yet removed the record; the run has ended.
    const isStored =
      run?.runId !== undefined && hasResponse(await store.load(conversationId), run.runId);
    return run === undefined || isStored ? place : { ...place, run };
  }

  /** At the start: follows every run that no live process follows. Never throws or sends a create. */
  async resume(): Promise<void> {
    const { jobs, log } = this.#deps;
    try {
      for (const { conversationId } of await jobs.list()) {
        await this.#runs.reconcile(conversationId, 0).catch((error: unknown) => {
          log.warn({ err: error, conversationId }, 'a research run could not be resumed');
        });
      }
    } catch (error) {
      log.warn({ err: error }, 'research runs could not be listed');
    }
  }

  async close(): Promise<void> {
    await this.#requests.close();
    await this.#runs.close();
  }

  #perplexity(): Perplexity {
    return requirePerplexity(this.#deps.perplexity);
  }

  /** Removes what must not be stored, because it must not be sent either. */
  async #masked<T extends Question>(given: T): Promise<T & MaskedQuestion> {
    this.#perplexity();
    const { value: query, masked } = await maskedBy(this.#deps.masker, given.query);
    return { ...given, query, masked };
  }

  #prepare(
    kind: AskKind,
    stored: Conversation['messages'],
    question: MaskedQuestion,
  ): PreparedRequest {
    const prepared = this.#perplexity().prepare({
      kind,
      messages: toSentMessages(stored, question.query, kind),
      filters: question.filters,
      relatedQuestions: question.relatedQuestions,
      ...(question.reasoningEffort === undefined
        ? {}
        : { reasoningEffort: question.reasoningEffort }),
    });
    return { ...prepared, notes: [...prepared.notes, ...notesOnMasked(question.masked)] };
  }

  #place(conversationId: string): { conversationId: string; conversationPath: string } {
    return { conversationId, conversationPath: this.#deps.store.path(conversationId) };
  }

  async #openForFollowup(
    ref: string,
    question: FollowupQuestion,
  ): Promise<{ conversation: Conversation; job: ResearchJob | undefined }> {
    this.#perplexity();
    const { conversationId } = (await this.#deps.store.view(ref).catch(refuseMissing)).head;
    const job = await this.#runs.reconcile(conversationId, this.#timing.pickUpWaitMs);
    refuseUnfinished(conversationId, job, question);
    await this.#deps.requireRoom?.();
    return { conversation: await this.#loadWithRoom(conversationId), job };
  }

  async #loadWithRoom(conversationId: string): Promise<Conversation> {
    const conversation = await this.#deps.store.load(conversationId);
    requireRoomForAnswer(conversation, this.#deps.maxMessages);
    return conversation;
  }

  async #leaseFor(conversationId: string): Promise<Lease> {
    const lease = await this.#deps.jobs.tryLease(conversationId);
    if (lease === undefined) throw unfinishedRunError(conversationId, undefined);
    return lease;
  }

  /** Removes the record of a run that has ended, unless a new run has replaced it. */
  async #clearEnded(conversationId: string): Promise<void> {
    const { jobs } = this.#deps;
    const clear = async () => {
      const lease = await jobs.tryLease(conversationId);
      if (lease === undefined) return;
      try {
        const job = await jobs.get(conversationId);
        if (job && hasEnded(job)) await jobs.remove(conversationId);
      } finally {
        await lease.release();
      }
    };
    await this.#quietly(clear(), conversationId);
  }

  /** Logs an error of the removal, because the answer or error of the call is more important. */
  async #quietly(work: Promise<void>, conversationId: string): Promise<void> {
    await work.catch((error: unknown) => {
      this.#deps.log.warn(
        { err: error, conversationId },
        'the record of a run could not be removed',
      );
    });
  }

  async #beginFollowup(
    conversationId: string,
    lease: Lease,
    question: FollowupQuestion & MaskedQuestion,
  ): Promise<RunHandle> {
    try {
      // The job is read again under the lease, because another process may have started and finished a run
      // since.
      refuseUnfinished(conversationId, await this.#deps.jobs.get(conversationId), question);
      const conversation = await this.#loadWithRoom(conversationId);
      const prepared = this.#prepare('deep_research', conversation.messages, question);
      const job = this.#newJob(question, prepared, false);
      return await this.#runs.begin(conversationId, lease, job, prepared);
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  #newJob(question: Question, prepared: PreparedRequest, startsConversation: boolean): ResearchJob {
    const { backend } = this.#perplexity();
    return newJob(question, {
      notes: [...prepared.notes],
      backend,
      startsConversation,
      startedAt: isoTime(this.#deps.clock.now()),
    });
  }

  async #wait(
    handle: RunHandle,
    question: Question,
    caller: Caller,
  ): Promise<Omit<ResearchResult, 'isFollowup'>> {
    const { conversationId } = handle.run;
    const outcome = await outcomeWithin(handle, caller, this.#timing, this.#deps.clock);
    const where = { kind: 'deep_research', ...this.#place(conversationId) } as const;
    if (outcome === undefined) {
      return { ...where, status: 'in_progress', saved: false, notes: handle.run.job.notes };
    }
    const { answer, ...rest } = outcome;
    return { ...where, ...rest, status: 'completed', answer: answerForCaller(answer, question) };
  }

  async #runReport(conversationId: string): Promise<RunReport | undefined> {
    try {
      const job = await this.#runs.reconcile(conversationId, this.#timing.pickUpWaitMs);
      const unsaved = this.#runs.unsaved(conversationId);
      const known = job ?? unsaved?.job; // while the store is away, the record cannot be read
      return known && toRunReport(known, unsaved);
    } catch (error) {
      // A damaged job.json must not make the conversation unreadable.
      if (isAppError(error, 'CORRUPT')) return { state: 'unknown', reason: error.message };
      throw error;
    }
  }
}

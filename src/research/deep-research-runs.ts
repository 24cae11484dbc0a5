/**
 * Runs deep research in the background. A lease makes sure that only one process follows a run. The state
 * `creating` is on disk before the request is sent, and the id of the run before the first poll. The answer
 * is appended once, because it has a response id. The request that creates a run is never repeated: if its
 * result is unknown, the job becomes `unknown` and a person decides. If callers cancel, the run continues.
 * `resume` of research.ts continues the runs of ended servers, after a start (app/startup-tasks.ts).
 */

import { settledOrLater, sleep } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { countOf } from '../base/text/display-text.js';
import type { Lease } from '../files/locks/lease.js';
import { mayHaveActed } from '../providers/http-client.js';
import { isPending, type PerplexityAnswer, type RunState } from '../providers/perplexity-answer.js';
import type { Perplexity, PreparedRequest } from '../providers/perplexity-types.js';
import type { ResearchJob } from '../stores/research-jobs/research-job-schema.js';
import { notesFor } from './answer-notes.js';
import type { PaidRequests } from './paid-requests.js';
import { asConversationError, lostRunError, stoppedWaitingError } from './research-errors.js';
import type { ResearchDeps } from './research-types.js';
import { type RunHandle, type RunOutcome, RunRecord } from './run-record.js';
import type { UnsavedAnswer } from './run-report.js';
import { hasResponse, toStoredExchange } from './stored-exchange.js';
import type { RunTiming } from './timing.js';

export interface RunsDeps
  extends Pick<ResearchDeps, 'store' | 'jobs' | 'perplexity' | 'clock' | 'log'> {
  /** At the end of the server, they wait for a create that is being sent. */
  readonly requests: PaidRequests;
  readonly timing: RunTiming;
}

interface Unsaved {
  readonly job: ResearchJob;
  readonly answer: PerplexityAnswer;
  readonly reason: string;
}

export class DeepResearchRuns {
  readonly #deps: RunsDeps;
  readonly #active = new Map<string, RunHandle>();
  /** Paid answers that could not be written. They stay in memory until a write succeeds. */
  readonly #unsaved = new Map<string, Unsaved>();
  readonly #closing = new AbortController();

  constructor(deps: RunsDeps) {
    this.#deps = deps;
  }

  /** The state `creating` is durable before the request. The run takes over the caller's lease. */
  async begin(
    conversationId: string,
    lease: Lease,
    job: ResearchJob,
    prepared: PreparedRequest,
  ): Promise<RunHandle> {
    const run = new RunRecord(conversationId, lease, job, this.#deps);
    try {
      await this.#deps.jobs.put(conversationId, job);
    } catch (error) {
      await run.remove();
      await lease.release();
      throw error;
    }
    return this.#launch(run, prepared);
  }

  /** The paid answer that could not be stored yet, if there is one. */
  unsaved(conversationId: string): UnsavedAnswer | undefined {
    const unsaved = this.#unsaved.get(conversationId);
    return unsaved && { job: unsaved.job, text: unsaved.answer.text, reason: unsaved.reason };
  }

  /**
   * The current job. Takes over a run that no live process follows, and waits up to `waitMs` for its end. A
   * job that was left in the state `creating` becomes `unknown`.
   */
  async reconcile(conversationId: string, waitMs: number): Promise<ResearchJob | undefined> {
    const { jobs } = this.#deps;
    const active = this.#active.get(conversationId);
    if (active && !active.run.isEnding) return active.run.current();
    // Without this wait, a run that ends within milliseconds would be reported as still running.
    if (active) await settledOrLater(Promise.allSettled([active.done]), waitMs);
    const seen = await jobs.get(conversationId);
    if (seen === undefined || !this.#canTakeOver(conversationId, seen)) return seen;
    const lease = await jobs.tryLease(conversationId);
    if (lease === undefined) return seen;
    const handle = await this.#takeOver(conversationId, lease);
    if (handle) await settledOrLater(Promise.allSettled([handle.done]), waitMs);
    return jobs.get(conversationId);
  }

  /** Stops following. The runs continue at Perplexity, and the next process follows them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#active.values()].map((handle) => handle.done));
  }

  /** Whether `reconcile` can bring the job forward, if no other process has its lease. */
  #canTakeOver(conversationId: string, job: ResearchJob): boolean {
    if (this.#closing.signal.aborted || job.state === 'failed') return false;
    if (this.#unsaved.has(conversationId) || job.state === 'creating') return true;
    return job.runId !== undefined && job.backend === this.#deps.perplexity?.backend;
  }

  async #takeOver(conversationId: string, lease: Lease): Promise<RunHandle | undefined> {
    try {
      const job = await this.#deps.jobs.get(conversationId);
      if (job !== undefined && this.#canTakeOver(conversationId, job)) {
        const run = new RunRecord(conversationId, lease, job, this.#deps);
        const unsaved = this.#unsaved.get(conversationId);
        if (unsaved !== undefined) await this.#save(run, unsaved.answer);
        else if (job.state !== 'creating') return this.#launch(run);
        else
          await run.markUnknown(
            'the process that started it ended before it received the id of the run',
          );
      }
    } catch (error) {
      await lease.release();
      throw error;
    }
    await lease.release();
    return undefined;
  }

  #launch(run: RunRecord, prepared?: PreparedRequest): RunHandle {
    const done = this.#runToEnd(run, prepared);
    done.catch((error: unknown) => this.#logEnd(run, error));
    const handle: RunHandle = { run, done };
    this.#active.set(run.conversationId, handle);
    return handle;
  }

  #logEnd({ conversationId }: RunRecord, error: unknown): void {
    const { log } = this.#deps;
    if (this.#closing.signal.aborted && isAppError(error, 'CANCELLED'))
      log.info({ conversationId }, error.message);
    else log.warn({ err: error, conversationId }, 'a deep research ended with an error');
  }

  async #runToEnd(run: RunRecord, prepared: PreparedRequest | undefined): Promise<RunOutcome> {
    try {
      return await this.#run(run, prepared);
    } finally {
      this.#active.delete(run.conversationId);
      await run.lease.release();
    }
  }

  async #run(run: RunRecord, prepared: PreparedRequest | undefined): Promise<RunOutcome> {
    const perplexity = this.#deps.perplexity;
    if (perplexity === undefined)
      throw new AppError('NOT_CONFIGURED', 'PERPLEXITY_API_KEY is not set.');
    let state = prepared && (await this.#create(run, perplexity, prepared));
    if (state === undefined || isPending(state)) {
      state = await this.#follow(run, perplexity, prepared ? this.#deps.timing.pollMinMs : 0);
    }
    if (state.status === 'completed' && state.answer.text.trim() !== '') {
      return this.#save(run, state.answer);
    }
    const reason = 'reason' in state ? `${state.status}: ${state.reason}` : 'the answer was empty';
    await run.update({ state: 'failed', reason });
    throw asConversationError(
      new AppError('PROVIDER', `The deep research ended without an answer (${reason}).`, {
        details: { outcome: 'unknown', runState: 'failed' },
      }),
      run.conversationId,
    );
  }

  async #create(
    run: RunRecord,
    perplexity: Perplexity,
    prepared: PreparedRequest,
  ): Promise<RunState> {
    const start = (signal: AbortSignal) => perplexity.start(prepared, { signal });
    // A gateway answers only at the end of the research, which takes too long.
    const hasRuns = perplexity.backend === 'agent';
    try {
      const state = await (hasRuns ? this.#deps.requests.send(start) : start(this.#closing.signal));
      if (isPending(state)) {
        await run.update({
          state: 'running',
          runId: state.runId,
          lastStatus: state.status,
        });
      } else if (state.status === 'completed' && perplexity.backend === 'agent') {
        await run.update({ state: 'running', runId: state.answer.responseId });
      }
      return state;
    } catch (error) {
      if (mayHaveActed(error)) {
        await run.markUnknown(isAppError(error) ? error.message : 'internal error');
        throw lostRunError(run.conversationId, run.job, error);
      }
      await run.remove();
      throw asConversationError(error, run.job.startsConversation ? undefined : run.conversationId);
    }
  }

  async #follow(run: RunRecord, perplexity: Perplexity, firstWaitMs: number): Promise<RunState> {
    const { timing, clock } = this.#deps;
    const runId = run.job.runId ?? '';
    // A clock may have been wrong, or a person may have edited the time.
    const begunMs = Math.min(Date.parse(run.job.startedAt), clock.now());
    const deadline = begunMs + timing.maxRunMs;
    let waitMs = firstWaitMs;
    for (let delayMs = timing.pollMinMs; ; delayMs = Math.min(delayMs * 1.5, timing.pollMaxMs)) {
      await this.#pause(waitMs, run.conversationId);
      // Another process holds the lease and writes the record. A second writer could overwrite the end of
      // the run.
      if (!run.lease.isHeld()) throw stoppedWaitingError(run.conversationId);
      waitMs = delayMs;
      try {
        const state = await perplexity.poll(runId, this.#closing.signal);
        if (!isPending(state)) return state;
        if (state.status !== run.job.lastStatus || run.job.state !== 'running') {
          await run.update({ state: 'running', lastStatus: state.status });
        }
      } catch (error) {
        waitMs = Math.max(delayMs, await this.#afterFailedPoll(run, error));
      }
      if (clock.now() > deadline) {
        await run.markUnknown(
          `not finished after ${countOf(Math.round(timing.maxRunMs / 60_000), 'minute')}`,
        );
        throw lostRunError(run.conversationId, run.job);
      }
    }
  }

  /** Minimum number of milliseconds before the next poll. Throws if another poll cannot succeed. */
  async #afterFailedPoll(run: RunRecord, error: unknown): Promise<number> {
    const { log } = this.#deps;
    if (this.#closing.signal.aborted) throw this.#closingError(run.conversationId);
    if (!isAppError(error)) throw error;
    if (error.details?.['httpStatus'] === 404) {
      await run.markUnknown('Perplexity has no such run for the current API key');
      throw lostRunError(run.conversationId, run.job, error);
    }
    if (error.code === 'NOT_CONFIGURED' || error.code === 'PROVIDER_RETIRED') {
      await run.update({ reason: error.message });
      throw asConversationError(error, run.conversationId);
    }
    log.warn({ err: error, runId: run.job.runId }, 'could not ask for the state of a research run');
    const waitMs = error.details?.['retryAfterMs'];
    return typeof waitMs === 'number' ? Math.min(waitMs, this.#deps.timing.maxRunMs) : 0;
  }

  async #pause(ms: number, conversationId: string): Promise<void> {
    if (this.#closing.signal.aborted) throw this.#closingError(conversationId);
    try {
      await sleep(ms, this.#closing.signal);
    } catch (cause) {
      throw this.#closingError(conversationId, cause);
    }
  }

  async #save(run: RunRecord, answer: PerplexityAnswer): Promise<RunOutcome> {
    const { store, perplexity, log } = this.#deps;
    const { conversationId } = run;
    run.isEnding = true;
    const job = await run.current();
    const notes = notesFor(job.notes, answer, job, perplexity?.hasThinking ?? true);
    const { backend, startedAt: askedAt } = job;
    const origin = { kind: 'deep_research', backend, notes, askedAt } as const;
    try {
      await store.append(conversationId, toStoredExchange(job.query, answer, origin), {
        skipIf: (current) =>
          hasResponse(current, answer.responseId, backend === 'agent' ? undefined : askedAt),
      });
    } catch (error) {
      log.error({ err: error, conversationId }, 'a paid research answer could not be stored');
      const reason = isAppError(error) ? error.message : 'internal error';
      this.#unsaved.set(conversationId, { job, answer, reason });
      return { answer, saved: false, notSavedReason: reason, notes };
    }
    this.#unsaved.delete(conversationId);
    // If the record stays, nothing is lost: the next poll detects that the answer is stored.
    await this.#removeRecord(run).catch((error: unknown) => {
      log.warn({ err: error, conversationId }, 'the record of a finished run could not be removed');
    });
    return { answer, saved: true, notes };
  }

  /** Does nothing if another process has taken over the lease and begun the next run. */
  async #removeRecord({ conversationId, job }: RunRecord): Promise<void> {
    const { jobs } = this.#deps;
    const stored = await jobs.get(conversationId);
    if (stored?.startedAt === job.startedAt) await jobs.remove(conversationId);
  }

  #closingError(conversationId: string, cause?: unknown): AppError {
    return new AppError(
      'CANCELLED',
      'The server stops. The deep research continues at Perplexity.',
      {
        hint: 'Start the server again, then call `get_conversation_history`.',
        details: { conversationId, runState: 'in_progress' },
        ...(cause === undefined ? {} : { cause }),
      },
    );
  }
}

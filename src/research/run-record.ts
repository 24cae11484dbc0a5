/**
 * The record of one research run, kept by the process that holds its lease: in memory and in
 * `job.json`. The memory changes first, because a failing disk must not stop a run that is paid for.
 */
import { type Clock, isoTime } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { PerplexityAnswer } from '../providers/perplexity-answer.js';
import type { JobLease, ResearchJob, ResearchJobs } from '../stores/research-jobs/research-jobs.js';

export interface RecordDeps {
  readonly jobs: ResearchJobs;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunOutcome {
  readonly answer: PerplexityAnswer;
  readonly saved: boolean;
  readonly notSavedReason?: string;
  readonly notes: readonly string[];
}

export interface RunHandle {
  readonly run: RunRecord;
  /** Rejects with an AppError; an unhandled rejection is logged. */
  readonly done: Promise<RunOutcome>;
}

export class RunRecord {
  readonly conversationId: string;
  readonly lease: JobLease;
  readonly #deps: RecordDeps;
  #job: ResearchJob;
  /** True when the answer has arrived and only has to be stored. */
  isEnding = false;

  constructor(conversationId: string, lease: JobLease, job: ResearchJob, deps: RecordDeps) {
    this.conversationId = conversationId;
    this.lease = lease;
    this.#job = job;
    this.#deps = deps;
  }

  get job(): ResearchJob {
    return this.#job;
  }

  /** Changes the record in memory and on disk. Never throws: a failed write is logged. */
  async remember(change: Partial<ResearchJob>): Promise<void> {
    const { jobs, clock, log } = this.#deps;
    this.#job = { ...this.#job, ...change, updatedAt: isoTime(clock.now()) };
    try {
      await jobs.put(this.conversationId, this.#job);
    } catch (error) {
      const { conversationId } = this;
      const { runId } = this.#job;
      log.error({ err: error, conversationId, runId }, 'job.json could not be written');
    }
  }

  /** For a run that may continue and cost money, but cannot be followed: a person has to decide. */
  async markUnknown(reason: string): Promise<void> {
    await this.remember({ state: 'unknown', reason });
  }

  /** Removes every trace of a run that certainly never began. Never throws. */
  async forget(): Promise<void> {
    const { jobs, log } = this.#deps;
    const { conversationId } = this;
    const undo = this.#job.startsConversation
      ? jobs.discard(conversationId)
      : jobs.remove(conversationId);
    await undo.catch((error: unknown) => {
      log.warn({ err: error, conversationId }, 'the record of a refused run could not be removed');
    });
  }
}

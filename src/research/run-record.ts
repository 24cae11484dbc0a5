/**
 * The record of one research run, in memory and in `job.json`, written by the process that holds the lease.
 * Memory is changed first, because a disk error must not stop a run that is paid for.
 */
import { isoTime } from '../base/clock.js';
import { undefinedIfUnreadable } from '../base/errors.js';
import type { Lease } from '../files/locks/lease.js';
import type { PerplexityAnswer } from '../providers/perplexity-answer.js';
import { versionOf } from '../stores/format-migrations.js';
import type { ResearchJob } from '../stores/research-jobs/research-job-schema.js';
import type { Question, ResearchDeps } from './research-types.js';

export type RecordDeps = Pick<ResearchDeps, 'jobs' | 'clock' | 'log'>;

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

/** The record of a run whose request has not been sent yet. */
export function newJob(
  { query, relatedQuestions, showThinking }: Question,
  origin: Pick<ResearchJob, 'backend' | 'notes' | 'startsConversation' | 'startedAt'>,
): ResearchJob {
  return {
    formatVersion: versionOf('job'),
    state: 'creating',
    query,
    ...origin,
    updatedAt: origin.startedAt,
    relatedQuestions,
    showThinking,
  };
}

export class RunRecord {
  readonly conversationId: string;
  readonly lease: Lease;
  readonly #deps: RecordDeps;
  #job: ResearchJob;
  /** True if the answer has arrived and must only be stored. */
  isEnding = false;

  constructor(conversationId: string, lease: Lease, job: ResearchJob, deps: RecordDeps) {
    this.conversationId = conversationId;
    this.lease = lease;
    this.#job = job;
    this.#deps = deps;
  }

  get job(): ResearchJob {
    return this.#job;
  }

  /**
   * The job with the question as it is in `job.json` now, because `daybook redact` may have removed a text from
   * it. If the file cannot be read, the question in memory.
   */
  async current(): Promise<ResearchJob> {
    const stored = await undefinedIfUnreadable(this.#deps.jobs.get(this.conversationId));
    if (stored?.startedAt === this.#job.startedAt) {
      this.#job = { ...this.#job, query: stored.query };
    }
    return this.#job;
  }

  /** Changes the record in memory and on disk. Never throws: a failed write is logged. */
  async update(change: Partial<ResearchJob>): Promise<void> {
    const { jobs, clock, log } = this.#deps;
    await this.current();
    this.#job = { ...this.#job, ...change, updatedAt: isoTime(clock.now()) };
    try {
      await jobs.put(this.conversationId, this.#job);
    } catch (error) {
      const { conversationId } = this;
      const { runId } = this.#job;
      log.error({ err: error, conversationId, runId }, 'job.json could not be written');
    }
  }

  /** For a run that may continue and cost money but cannot be followed; a person must decide. */
  async markUnknown(reason: string): Promise<void> {
    await this.update({ state: 'unknown', reason });
  }

  /** For a run that certainly did not start: also removes its new conversation. Never throws. */
  async remove(): Promise<void> {
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

/**
 * One run in the hands of the process that holds its lease: the job as memory has it and as
 * `job.json` has it. Memory goes first, because a disk that refuses the record must not stop
 * a run that is already being paid for.
 */
import { type Clock, isoTime } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { JobLease, ResearchJob, ResearchJobs } from '../stores/research-jobs.js';

export interface RecordDeps {
  readonly jobs: ResearchJobs;
  readonly clock: Clock;
  readonly log: Log;
}

export class RunRecord {
  readonly conversationId: string;
  readonly lease: JobLease;
  readonly #deps: RecordDeps;
  #job: ResearchJob;
  /** The answer is here; only writing it and clearing the record are left. */
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

  /** Never throws; what could not be written is logged with the run's id. */
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

  /** It may run and cost money, but nobody can follow it: a person has to decide. */
  async loseTrack(reason: string): Promise<void> {
    await this.remember({ state: 'unknown', reason });
  }

  /** For a run that surely never began: leaves nothing behind. Never throws. */
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

/**
 * The record of a new research job, and what the state of a job means to a caller. Reads and writes nothing.
 * deep-research-runs.ts runs the job, and takes it over if its process has ended.
 */

import { defined } from '../base/json.js';
import { versionOf } from '../stores/format-migrations.js';
import type { ResearchJob } from '../stores/research-jobs/research-job-schema.js';
import type { Question, RunReport } from './research-types.js';

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

/** A paid answer that could not be stored, and the reason. */
export interface UnsavedAnswer {
  readonly job: ResearchJob;
  readonly text: string;
  readonly reason: string;
}

export function toRunReport(job: ResearchJob, unsaved: UnsavedAnswer | undefined): RunReport {
  const state = job.state === 'unknown' || job.state === 'failed' ? job.state : 'in_progress';
  const reason = unsaved?.reason ?? job.reason;
  const { query, startedAt, runId } = job;
  return {
    state: unsaved ? 'unsaved' : state,
    ...defined({ query, startedAt, runId, reason, answer: unsaved?.text }),
  };
}

/** Whether the run has ended without an answer, or cannot be followed any more. */
export function hasEnded(job: ResearchJob): boolean {
  return job.state === 'failed' || job.state === 'unknown';
}

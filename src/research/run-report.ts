/** What a caller is told about a research run. deep-research-runs.ts runs it and decides its state. */

import { defined } from '../base/json.js';
import type { ResearchJob } from '../stores/research-jobs/research-job-schema.js';
import type { RunReport } from './research-types.js';

/** A paid answer that could not be stored, and the reason. */
export interface UnsavedAnswer {
  readonly job: ResearchJob;
  readonly text: string;
  readonly reason: string;
}

export function toRunReport(job: ResearchJob, unsaved: UnsavedAnswer | undefined): RunReport {
  const state = hasEnded(job) ? job.state : 'in_progress';
  const reason = unsaved?.reason ?? job.reason;
  const { query, startedAt, runId } = job;
  return {
    state: unsaved ? 'unsaved' : state,
    ...defined({ query, startedAt, runId, reason, answer: unsaved?.text }),
  };
}

/** Whether the run has ended without an answer, or cannot be followed any more. */
export const hasEnded = (job: ResearchJob): job is ResearchJob & { state: 'failed' | 'unknown' } =>
  job.state === 'failed' || job.state === 'unknown';

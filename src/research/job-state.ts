/**
 * What follows from the state of a research job: the report to a caller, and whether a follow-up is allowed.
 * Reads and writes nothing. deep-research-runs.ts runs the job, and takes it over if its process has ended.
 */

import { AppError } from '../base/errors.js';
import { defined } from '../base/json.js';
import { versionOf } from '../stores/format-migrations.js';
import type { ResearchJob } from '../stores/research-jobs/research-job-schema.js';
import { lostRunError, unfinishedRunError } from './research-errors.js';
import type { Caller, FollowupQuestion, Question, RunReport } from './research-types.js';

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

/** `unsaved`: the paid answer that could not be stored, and the reason. */
export function toRunReport(
  job: ResearchJob,
  unsaved: { text: string; reason: string } | undefined,
): RunReport {
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

/**
 * CONFLICT if the conversation has a run that has not ended, or one whose result is unknown and which the
 * caller does not give up (`discardLostRun`).
 */
export function refuseUnfinished(
  conversationId: string,
  job: ResearchJob | undefined,
  question: FollowupQuestion,
): void {
  if (job === undefined || job.state === 'failed') return;
  if (job.state !== 'unknown') throw unfinishedRunError(conversationId, job);
  if (!question.discardLostRun) throw lostRunError(conversationId, job);
}

/** CANCELLED. Called before a request, because a call that is already cancelled must not cost anything. */
export function refuseWhenCancelled(caller: Caller): void {
  if (caller.signal?.aborted) throw new AppError('CANCELLED', 'The call was cancelled.');
}

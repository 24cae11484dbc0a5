/**
 * Rules about the state of a run: the report for a reader, and whether a follow-up is allowed. Reads and
 * writes nothing.
 */

import { AppError } from '../base/errors.js';
import { defined } from '../base/json.js';
import { versionOf } from '../stores/format-migrations.js';
import type { ResearchJob } from '../stores/research-jobs/research-jobs.js';
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

export function isOver(job: ResearchJob): boolean {
  return job.state === 'failed' || job.state === 'unknown';
}

export function refuseUnfinished(
  conversationId: string,
  job: ResearchJob | undefined,
  question: FollowupQuestion,
): void {
  if (job === undefined || job.state === 'failed') return;
  if (job.state !== 'unknown') throw unfinishedRunError(conversationId, job);
  if (!question.discardLostRun) throw lostRunError(conversationId, job);
}

/** Called before a request, because a call that is already cancelled must not cost anything. */
export function refuseWhenCancelled(caller: Caller): void {
  if (caller.signal?.aborted) throw new AppError('CANCELLED', 'The call was cancelled.');
}

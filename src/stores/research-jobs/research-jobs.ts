/**
 * `job.json` beside a conversation: the record of a background research run, there only while the
 * run has not ended well. It holds the user's query, because the conversation gets query and answer
 * in one append at the end, and the run's id, because Perplexity has no list of runs: an id that was
 * not written down is money lost. (Interface and form; the files are the implementation's business.)
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { isRecord } from '../../base/is-record.js';
import { upgraded } from '../format-steps.js';

/**
 * `creating`: the request may be on its way. `running`: Perplexity returned the id.
 * `unknown`: it may have run and been billed, but it cannot be followed (any more).
 * `failed`: it ended without an answer; kept so that the user can be informed.
 */
const RESEARCH_JOB_STATES = ['creating', 'running', 'unknown', 'failed'] as const;

/** Unknown fields are kept, so that an older version does not cut what a newer one wrote. */
const researchJobSchema = z.looseObject({
  formatVersion: z.number(),
  state: z.enum(RESEARCH_JOB_STATES),
  /** Exactly as the user wrote it. */
  query: z.string(),
  backend: z.enum(['agent', 'chat-completions']),
  /** ISO 8601. */
  startedAt: z.string(),
  updatedAt: z.string(),
  runId: z.string().exactOptional(),
  /** What Perplexity called the run's state when it was last asked. */
  lastStatus: z.string().exactOptional(),
  /** In plain words, why the state is what it is. */
  reason: z.string().exactOptional(),
  relatedQuestions: z.boolean(),
  showThinking: z.boolean(),
  /** What the backend does differently from what was asked. */
  notes: z.array(z.string()),
  /** The conversation was made for this run and holds no exchange before it. */
  startsConversation: z.boolean(),
});

export type ResearchJob = z.output<typeof researchJobSchema>;

/** The record in a parsed `job.json`. CORRUPT, FORMAT_TOO_NEW. */
export function readJob(value: unknown, path: string): ResearchJob {
  const fields = isRecord(value) ? upgraded('job', value, path) : value;
  const job = researchJobSchema.safeParse(fields);
  if (job.success) return job.data;
  const [issue] = job.error.issues;
  const problem = `${issue?.path.join('.')}: ${issue?.message}`;
  throw new AppError('CORRUPT', `${path} is damaged: ${problem}.`, {
    hint: 'The file describes a deep research. Do not delete it before the answer is in the conversation.',
    details: { path },
    cause: job.error,
  });
}

export interface JobLease {
  /** False once another process took it over, as after a long stall of this one. */
  isHeld(): boolean;
  /** Idempotent. Never throws. */
  release(): Promise<void>;
}

/** Every method takes a conversation id, not a client key. */
export interface ResearchJobs {
  /**
   * What is on disk now; `undefined` without a job. CORRUPT when it cannot be read as one, FORMAT_TOO_NEW.
   */
  get(conversationId: string): Promise<ResearchJob | undefined>;
  /** Replaces the record; durable when it resolves. CONVERSATION_NOT_FOUND without the folder. */
  put(conversationId: string, job: ResearchJob): Promise<void>;
  /** Removing what is not there is no error. */
  remove(conversationId: string): Promise<void>;
  /**
   * Removes the record of a run that surely never began and, when the conversation holds no user
   * or assistant message (decided under its write lock), the conversation with it.
   */
  discard(conversationId: string): Promise<void>;
  /** All readable jobs; damaged ones are left out and logged. */
  list(): Promise<{ conversationId: string; job: ResearchJob }[]>;
  /**
   * The right to drive this conversation's run: one holder among all processes, and one within
   * this process. `undefined` at once while a live holder has it; a dead process's is taken over.
   * Independent of the write lock of the conversation. The folder must exist.
   */
  tryLease(conversationId: string): Promise<JobLease | undefined>;
}

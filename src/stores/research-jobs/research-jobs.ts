/**
 * The record of a background research run: `job.json` beside the conversation. It exists until the answer is
 * stored. It contains the user's query, because query and answer are appended together at the end, and the
 * id of the run, because Perplexity has no list of runs: without the id, a paid answer could not be fetched.
 * This file has the interface and the schema; research-job-files.ts implements the interface.
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { isRecord } from '../../base/is-record.js';
import { upgraded } from '../format-migrations.js';

/**
 * `creating`: the request may have been sent. `running`: Perplexity returned the id. `unknown`: the run may
 * exist and may have been billed, but its answer cannot be fetched. `failed`: the run ended without an
 * answer; the record is kept so that the user can be informed.
 */
const RESEARCH_JOB_STATES = ['creating', 'running', 'unknown', 'failed'] as const;

/** Unknown fields are kept, so that an older version does not remove the fields of a newer one. */
const researchJobSchema = z.looseObject({
  formatVersion: z.number(),
  state: z.enum(RESEARCH_JOB_STATES),
  /** The user's query, without secrets and private parts. */
  query: z.string(),
  backend: z.enum(['agent', 'chat-completions']),
  /** ISO 8601. */
  startedAt: z.string(),
  updatedAt: z.string(),
  runId: z.string().exactOptional(),
  /** The state of the run in Perplexity's last response. */
  lastStatus: z.string().exactOptional(),
  /** A sentence for the user that explains the state. */
  reason: z.string().exactOptional(),
  relatedQuestions: z.boolean(),
  showThinking: z.boolean(),
  /** Sentences about the differences between the request and what the backend does. */
  notes: z.array(z.string()),
  /** The conversation was created for this run and has no earlier exchange. */
  startsConversation: z.boolean(),
});

export type ResearchJob = z.output<typeof researchJobSchema>;

/** Validates a parsed `job.json`. CORRUPT, FORMAT_TOO_NEW. */
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
  /** Returns false when another process has taken over the lease, for example after this one was paused. */
  isHeld(): boolean;
  /** May be called twice. Never rejects. */
  release(): Promise<void>;
}

/** Every method takes a conversation id, not a client key. */
export interface ResearchJobs {
  /** Reads the job from the disk; returns `undefined` if there is none. CORRUPT, FORMAT_TOO_NEW. */
  get(conversationId: string): Promise<ResearchJob | undefined>;
  /**
   * Replaces the record. Durable when it resolves. CONVERSATION_NOT_FOUND if the conversation's folder is
   * missing.
   */
  put(conversationId: string, job: ResearchJob): Promise<void>;
  /** Removes the record. Does nothing if there is none. */
  remove(conversationId: string): Promise<void>;
  /**
   * Removes the record of a run that certainly never started. If the conversation has no message of a user or
   * an assistant (checked under its write lock), removes the conversation too.
   */
  discard(conversationId: string): Promise<void>;
  /** Returns all readable jobs. Damaged ones are logged and left out. */
  list(): Promise<{ conversationId: string; job: ResearchJob }[]>;
  /**
   * Acquires the lease for polling this conversation's run: only one holder in all processes. Returns
   * `undefined` at once if a live holder has it; the lease of a dead process is taken over. It is independent
   * of the write lock of the conversation.
   */
  tryLease(conversationId: string): Promise<JobLease | undefined>;
}

/**
 * The schema of the record of a background research run: `job.json` beside the conversation. The record
 * exists until the answer is stored. It contains the user's query, because query and answer are appended
 * together at the end, and the id of the run, because Perplexity has no list of runs: without the id, a paid
 * answer could not be fetched. research-job-files.ts reads and writes the records.
 */
import { z } from 'zod';
import { timeOfText } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { isRecord } from '../../base/json-fields.js';
import { upgraded } from '../format-migrations.js';
import { requireDepthToRead } from '../json-depth.js';

/**
 * `creating`: the request may have been sent. `running`: Perplexity returned the id. `unknown`: the run may
 * exist and may have been billed, but its answer cannot be fetched. `failed`: the run ended without an
 * answer; the record is kept so that the user can be informed.
 */
const RESEARCH_JOB_STATES = ['creating', 'running', 'unknown', 'failed'] as const;

/** Unknown fields are kept, so that an older version does not remove the fields of a newer one. */
export const researchJobSchema = z.looseObject({
  formatVersion: z.number(),
  state: z.enum(RESEARCH_JOB_STATES),
  /** The user's query, without secrets and private parts. */
  query: z.string(),
  backend: z.enum(['agent', 'chat-completions']),
  /** ISO 8601. The stored question gets this time. */
  startedAt: z.string().refine((text) => timeOfText(text) !== undefined, 'it is not a time'),
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
  requireDepthToRead(value, path);
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

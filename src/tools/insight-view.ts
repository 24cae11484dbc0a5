/**
 * What the tools of insights share: whose context a call is about, and how an insight is shown.
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../base/errors.js';
import { INSIGHT_ID, normalContext } from '../stores/insights/schema.js';
import type { Insight } from '../stores/insights.js';
import { endOf } from './date-field.js';
import type { ToolCall } from './define-tool.js';
import { jsonObject } from './json-object.js';

export const contextField = z
  .string()
  .min(1)
  .describe(
    'Absolute path of the project, or "global"; the working folder unless given; needed over HTTP.',
  )
  .exactOptional();
/** Checked like this, as a pattern in the schema costs a host fifty tokens a tool. */
export const idField = z
  .string()
  .toLowerCase()
  .refine((text) => INSIGHT_ID.test(text), 'Invalid UUID')
  .meta({ format: 'uuid', description: 'Id of the insight.' });
export const contentField = z.string().min(3).max(100_000);
export const tagsField = z.array(z.string().min(1).max(200)).max(100);
export const tagsFilter = z
  .array(z.string())
  .describe('Only those with all of these tags.')
  .exactOptional();

/**
 * The context that a scoped call is about. A remote caller must name it, since the working folder of
 * this process is not theirs. VALIDATION_ERROR.
 */
export function contextOf(given: string | undefined, { isRemote }: ToolCall): string {
  if (given === undefined && isRemote) {
    throw new AppError('VALIDATION_ERROR', 'context is required over HTTP.', {
      hint: 'Give the absolute path of the project, or "global".',
      details: { field: 'context' },
    });
  }
  const text = given ?? process.cwd();
  const context = normalContext(text) ?? (isRemote ? undefined : normalContext(fromHere(text)));
  if (context !== undefined) return context;
  throw new AppError(
    'VALIDATION_ERROR',
    'context takes the absolute path of a project, or "global".',
    {
      details: { field: 'context' },
    },
  );
}

/** As a shell reads it: only a caller on this machine has a home and a working folder here. */
const fromHere = (path: string) => resolve(path.replace(/^~(?=$|[/\\])/, homedir()));

/** Epoch milliseconds of the last moment that is meant. VALIDATION_ERROR. */
export const expiryOf = (text: string): number => endOf('expires', text);

export const insightSchema = z.object({
  id: z.string(),
  content: z.string(),
  context: z.string(),
  tags: z.array(z.string()).exactOptional(),
  metadata: jsonObject('As it was saved.').exactOptional(),
  created_at: z.number().int().describe('Epoch milliseconds.'),
  updated_at: z.number().int(),
  expires_at: z.number().int().describe('From then on it counts as expired.').exactOptional(),
});

/** The store hands out read-only tags; the output schema wants an array of its own. */
export function toShown({ tags, ...insight }: Insight): z.output<typeof insightSchema> {
  return { ...insight, ...(tags && { tags: [...tags] }) };
}

export const listedSchema = insightSchema.extend({
  isCut: z.literal(true).describe('Long: get_insight gives all of it.').exactOptional(),
});

const LONGEST_CONTENT = 4_000;
const LONGEST_METADATA = 4_000;

/** In a list: one long insight must not fill the answer. */
export function toListed(insight: Insight): z.output<typeof listedSchema> {
  const { metadata, content, ...others } = toShown(insight);
  const isLong = content.length > LONGEST_CONTENT;
  const isWide = metadata !== undefined && JSON.stringify(metadata).length > LONGEST_METADATA;
  return {
    ...others,
    content: isLong ? `${content.slice(0, LONGEST_CONTENT).toWellFormed()}…` : content,
    ...(metadata === undefined || isWide ? {} : { metadata }),
    ...(isLong || isWide ? { isCut: true as const } : {}),
  };
}

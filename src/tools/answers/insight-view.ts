/** What the tools of insights share: fields, and the shape of an insight. */

import { z } from 'zod';
import { countOf, hasText } from '../../base/text/display-text.js';
import type { Insight, InsightStore } from '../../stores/insights/insights.js';
import { INSIGHT_ID } from '../../stores/insights/schema.js';
import { distinctTags } from '../../stores/tags.js';
import { optionalInt, type ToolCall } from '../define-tool.js';
import { tagField } from '../fields/conversation-input.js';
import { endOf } from '../fields/date-field.js';
import { jsonObject } from '../fields/json-object.js';

export const contextField = z
  .string()
  .min(1)
  .describe(
    'Project: absolute path, "git:host/owner/repository", "project:name" or "global" (default: that of the working folder; required over HTTP).',
  )
  .exactOptional();
/** `refine` checks the form, because a pattern in the schema would cost 50 tokens for each tool. */
export const idField = z
  .string()
  .toLowerCase()
  .refine((text) => INSIGHT_ID.test(text), 'Invalid UUID')
  .meta({ format: 'uuid', description: 'Id of the insight.' });
export const contentField = z.string().min(3).max(100_000).refine(hasText, 'The insight is empty.');
export const tagsField = z.array(tagField).max(100).overwrite(distinctTags);
export const tagsFilter = z
  .array(z.string())
  .describe('Only insights with all of these tags.')
  .exactOptional();

const MAX_CONTEXTS = 8;

/** Explains why a context is empty. For a local caller the text also has the contexts with insights. */
export async function explainEmptyContext(
  context: string,
  { isRemote }: ToolCall,
  store: InsightStore,
): Promise<string> {
  const damaged = store.damaged().length;
  const unread =
    damaged === 0
      ? ''
      : ` ${countOf(damaged, 'insight')} could not be read and may belong to it; see \`store_info\`.`;
  const nothing = `The context ${context} has no such insights.${unread}`;
  if (isRemote) return nothing;
  const known = [...(await store.contexts())].sort(([, a], [, b]) => b - a);
  const others = known.filter(([name, count]) => name !== context && count > 0);
  if (others.length === 0) return `${nothing} No other context has insights.`;
  const named = others.slice(0, MAX_CONTEXTS).map(([name, count]) => `${name} (${count})`);
  return `${nothing} Contexts with insights: ${named.join(', ')}. To see those of one, set \`context\`.`;
}

/** For a search that found nothing: which other contexts have insights, if those that it searched have none. */
export async function noteOtherContexts(
  { context, alsoIn }: { readonly context: string; readonly alsoIn: readonly string[] },
  call: ToolCall,
  store: InsightStore,
): Promise<string[]> {
  const known = await store.contexts();
  if (known.size === 0 || [context, ...alsoIn].some((name) => known.has(name))) return [];
  return [await explainEmptyContext(context, call, store)];
}

/** Insights that a call did not return because of its `tags`, or because they have expired. */
export interface LeftOut {
  readonly tags?: number;
  readonly includeExpired?: number;
}

/** One sentence for each argument that left insights out. */
export function explainLeftOut({ tags = 0, includeExpired = 0 }: LeftOut): string[] {
  return [
    ...(tags > 0
      ? [`${countOf(tags, 'insight matches', 'insights match')} without \`tags\`.`]
      : []),
    ...(includeExpired > 0
      ? [`${countOf(includeExpired, 'insight matches', 'insights match')} with \`includeExpired\`.`]
      : []),
  ];
}

/** The last moment of `text`, in epoch milliseconds. Throws VALIDATION_ERROR. */
export const expiryOf = (text: string): number => endOf('expires', text);

export const insightSchema = z.object({
  id: z.string(),
  content: z.string(),
  context: z.string(),
  tags: z.array(z.string()).exactOptional(),
  metadata: jsonObject('As it was saved.').exactOptional(),
  created_at: z.int().describe('Epoch milliseconds.'),
  updated_at: z.int(),
  expires_at: optionalInt('The insight is expired from this time on.'),
});

/** Copies the tags, because the store returns a read-only array and the output schema has a writable one. */
export function toShown({ tags, ...insight }: Insight): z.output<typeof insightSchema> {
  return { ...insight, ...(tags && { tags: [...tags] }) };
}

export const listedSchema = insightSchema.extend({
  isCut: z
    .literal(true)
    .describe('True if the text is long and was cut; get_insight returns all of it.')
    .exactOptional(),
});

const MAX_CONTENT_LENGTH = 4_000;
const MAX_METADATA_LENGTH = 4_000;

/** An insight as an item of a list, with limits so that one long insight does not fill the answer. */
export function toListed(insight: Insight): z.output<typeof listedSchema> {
  const { metadata, content, ...others } = toShown(insight);
  const isLong = content.length > MAX_CONTENT_LENGTH;
  const isLarge = metadata !== undefined && JSON.stringify(metadata).length > MAX_METADATA_LENGTH;
  return {
    ...others,
    content: isLong ? `${content.slice(0, MAX_CONTENT_LENGTH).toWellFormed()}…` : content,
    ...(metadata === undefined || isLarge ? {} : { metadata }),
    ...(isLong || isLarge ? { isCut: true as const } : {}),
  };
}

/**
 * Tool calls with their results, and the thinking of the assistant. They are stored in the `metadata` of a
 * message (docs/FORMAT.md), in the length that the user has set.
 */

import { definedOrNothing } from '../../../base/json-fields.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import type { Activity } from '../../source-interface.js';

const SHORT_LENGTH = 300;
/** A text that an earlier import has shortened is not shortened again. */
const SHORTENED = /^[\s\S]{300}… \(\d+ characters\)$/;

export interface ToolCall {
  readonly name: string;
  readonly input?: unknown;
  result?: string | undefined;
  isError?: boolean | undefined;
}

/** Fields for the metadata of a message; `undefined` if there are none. */
export function activityMetadata(
  { tools = [], thinking = [] }: { tools?: readonly ToolCall[]; thinking?: readonly string[] },
  activity: Activity,
): JsonObject | undefined {
  if (activity === 'none') return undefined;
  const thoughts = thinking.filter((text) => text.trim() !== '').join('\n\n');
  return definedOrNothing({
    tools: tools.length === 0 ? undefined : tools.map((tool) => ({ ...tool })),
    thinking: thoughts === '' ? undefined : shortened(thoughts, activity),
  });
}

/** The part of a call that is stored. The results of a session may be gigabytes. */
export function shortenedCall(
  { name, input, result, isError }: ToolCall,
  activity: Activity,
): ToolCall {
  if (activity === 'none') return { name };
  const given = typeof input === 'string' ? input : JSON.stringify(input);
  return {
    name,
    ...(given !== undefined && given !== '' && { input: shortened(given, activity) }),
    ...(result !== undefined && result !== '' && { result: shortened(result, activity) }),
    ...(isError && { isError }),
  };
}

/** Whether a part of the text is cut. The results of a call are lines of one text, each cut by itself. */
export const isCut = (text: string): boolean => /… \(\d+ characters\)(?:\n|$)/.test(text);

/** With `short`: the beginning of the text and its length. */
export function shortened(text: string, activity: Activity): string {
  if (activity === 'all' || text.length <= SHORT_LENGTH || SHORTENED.test(text)) return text;
  // A slice keeps the whole text in memory, so its characters are copied. Half a character becomes U+FFFD.
  const beginning = Buffer.from(text.slice(0, SHORT_LENGTH)).toString();
  return `${beginning}… (${text.length} characters)`;
}

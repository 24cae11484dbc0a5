/**
 * What machines did during a turn: tool calls with their results, and thinking. It is kept in the
 * `metadata` of the message that it belongs to (docs/FORMAT.md), as much of it as the user wants.
 */
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import type { Activity } from '../source.js';
import { definedOrNothing } from './fields.js';

const SHORT_LENGTH = 300;
/** What was cut before is not cut again. */
const CUT = /^[\s\S]{300}… \(\d+ characters\)$/;

export interface ToolCall {
  readonly name: string;
  readonly input?: unknown;
  result?: string | undefined;
  isError?: boolean | undefined;
}

/** Fields for a message's metadata; `undefined` where there is nothing to keep. */
export function activityMetadata(
  { tools = [], thinking = [] }: { tools?: readonly ToolCall[]; thinking?: readonly string[] },
  activity: Activity,
): JsonObject | undefined {
  if (activity === 'none') return undefined;
  const thoughts = thinking.filter((text) => text.trim() !== '').join('\n\n');
  return definedOrNothing({
    tools: tools.length === 0 ? undefined : tools.map((tool) => ({ ...tool })),
    thinking: thoughts === '' ? undefined : kept(thoughts, activity),
  });
}

/** The part of a call that will be stored: a session's results may be gigabytes. */
export function keptCall({ name, input, result, isError }: ToolCall, activity: Activity): ToolCall {
  if (activity === 'none') return { name };
  const given = typeof input === 'string' ? input : JSON.stringify(input);
  return {
    name,
    ...(given !== undefined && given !== '' && { input: kept(given, activity) }),
    ...(result !== undefined && result !== '' && { result: kept(result, activity) }),
    ...(isError && { isError }),
  };
}

/** The text, or its beginning and how long it is. */
export function kept(text: string, activity: Activity): string {
  if (activity === 'all' || text.length <= SHORT_LENGTH || CUT.test(text)) return text;
  return `${text.slice(0, SHORT_LENGTH).toWellFormed()}… (${text.length} characters)`;
}

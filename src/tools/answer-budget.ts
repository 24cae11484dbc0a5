/**
 * How much of a list one answer carries, so that no call floods the context of an assistant.
 *
 * Tokens are estimated from the JSON of an item (base/tokens.ts).
 * A tool's answer goes out as data and as text, of which hosts show the model one.
 */
import { z } from 'zod';
import { estimateTextTokens } from '../base/tokens.js';

const DEFAULT_TOKENS = 8_000;
const MOST_TOKENS = 25_000;
/** For what stands around the items: counts, cursors, names of fields. */
const FRAME_TOKENS = 200;

/** The input field of every tool that lists or searches. */
export const maxTokens = z
  .number()
  .int()
  .min(500)
  .max(MOST_TOKENS)
  .describe('Maximum length of the answer.')
  .default(DEFAULT_TOKENS);

/** Estimated tokens of a value as JSON. */
export function estimateTokens(value: unknown): number {
  return estimateTextTokens(JSON.stringify(value) ?? '');
}

/**
 * How many items, from the first on, fit into `maxTokens`: at least one where there is any, so that
 * a list always gets on. An item that can be larger than the budget is the tool's to shorten.
 */
export function countWithin(items: readonly unknown[], maxTokens: number): number {
  let room = maxTokens - FRAME_TOKENS;
  let count = 0;
  for (const item of items) {
    room -= estimateTokens(item) + 1;
    if (room < 0 && count > 0) break;
    count += 1;
  }
  return count;
}

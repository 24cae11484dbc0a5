/**
 * How much of a list one answer carries, so that no call floods the context of an assistant. Counted
 * in estimated tokens of the items as JSON (`base/tokens.ts`). A tool's answer goes out as data and
 * as text, of which hosts show the model one; so it counts once.
 */
import { z } from 'zod';
import { estimateTokens } from '../base/tokens.js';

const DEFAULT_TOKENS = 8_000;
const MOST_TOKENS = 25_000;
/** For what stands around the items: counts, cursors, names of fields. */
const FRAME_TOKENS = 200;

/** The input field of a tool whose answer can be long. */
export const maxTokens = z
  .number()
  .int()
  .min(500)
  .max(MOST_TOKENS)
  .describe('About how long the answer may be; the rest comes with the cursor.')
  .default(DEFAULT_TOKENS);

/**
 * How many items, from the first on, fit into `budget`: at least one where there is any, so that
 * a list always gets on. An item that can be larger than the budget is the tool's to shorten.
 */
export function countWithin(items: readonly unknown[], budget = DEFAULT_TOKENS): number {
  let room = budget - FRAME_TOKENS;
  let count = 0;
  for (const item of items) {
    room -= estimateTokens(JSON.stringify(item) ?? '') + 1;
    if (room < 0 && count > 0) break;
    count += 1;
  }
  return count;
}

/** Those items themselves. */
export function boundedItems<T>(items: readonly T[], budget = DEFAULT_TOKENS): T[] {
  return items.slice(0, countWithin(items, budget));
}

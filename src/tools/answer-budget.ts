/**
 * The limit of tokens in an answer, so that no call fills the context of an assistant.
 *
 * Tokens are estimated from the JSON of an item (base/estimate-tokens.ts). An answer is sent both as data and as
 * text; a host shows only one of them to the model, so tokens are counted once.
 */
import { z } from 'zod';
import { estimateTextTokens } from '../base/estimate-tokens.js';

const DEFAULT_TOKENS = 8_000;
const MAX_TOKENS = 25_000;
/** For counts, cursors and names of fields around the items. */
const OVERHEAD_TOKENS = 200;

/** The input field of all tools that list or search. */
export const maxTokens = z
  .number()
  .int()
  .min(500)
  .max(MAX_TOKENS)
  .describe('Maximum length of the answer.')
  .default(DEFAULT_TOKENS);

/** Estimated tokens of a value as JSON. */
export function estimateTokens(value: unknown): number {
  return estimateTextTokens(JSON.stringify(value) ?? '');
}

/**
 * The number of first items that fit into `maxTokens`. It is at least 1 if there is an item, so that the
 * next page always starts later. The tool itself must shorten an item that is larger than the limit.
 */
export function countWithin(items: readonly unknown[], maxTokens: number): number {
  let room = maxTokens - OVERHEAD_TOKENS;
  let count = 0;
  for (const item of items) {
    room -= estimateTokens(item) + 1;
    if (room < 0 && count > 0) break;
    count += 1;
  }
  return count;
}

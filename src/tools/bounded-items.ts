/**
 * Keeps the answer of a listing within its budget of tokens, cutting between items. No tool of its own.
 */
import { estimateTokens } from '../base/tokens.js';

/** SPEC's budget of an answer that nobody asked to be longer; a little is left for the envelope. */
const MAX_ANSWER_TOKENS = 7_800;

/** As many of the first items as fit, at least one: a page that is never empty can always go on. */
export function boundedItems<T>(items: readonly T[], maxTokens = MAX_ANSWER_TOKENS): T[] {
  const kept: T[] = [];
  let room = maxTokens;
  for (const item of items) {
    room -= estimateTokens(JSON.stringify(item));
    if (room < 0 && kept.length > 0) break;
    kept.push(item);
  }
  return kept;
}

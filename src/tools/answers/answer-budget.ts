/**
 * The limit of tokens in an answer, so that no call fills the context of an assistant.
 *
 * Tokens are estimated from the JSON of an item (base/text/estimate-tokens.ts). An answer is sent both as data and as
 * text; a host shows only one of them to the model, so tokens are counted once.
 */
import { z } from 'zod';
import { endWithin, estimateTextTokens } from '../../base/text/estimate-tokens.js';
import { optionalFlag } from '../define-tool.js';

const DEFAULT_TOKENS = 8_000;
const MAX_TOKENS = 25_000;
/** For counts, cursors and names of fields around the items. */
export const OVERHEAD_TOKENS = 200;

/** The input field of all tools that list or search. */
export const maxTokens = z
  .int()
  .min(500)
  .max(MAX_TOKENS)
  .describe('Maximum length of the answer.')
  .default(DEFAULT_TOKENS);

/** The output field of a message that `messagesWithin` has cut. */
export const isCutField = optionalFlag(
  'True if the text is longer than maxTokens; get_conversation_history returns all of it in parts.',
);

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

/** The first items that fit into `maxTokens`. If the first item alone is too long, its message is cut. */
export function messagesWithin<T>(
  items: readonly T[],
  maxTokens: number,
  withContent: (
    item: T,
    cut: <M extends { readonly content: string }>(message: M) => M & { isCut: boolean },
  ) => T,
): T[] {
  const fitting = items.slice(0, countWithin(items, maxTokens));
  const [first, second] = fitting;
  if (first === undefined || second !== undefined) return fitting;
  const excess = estimateTokens(first) - (maxTokens - OVERHEAD_TOKENS);
  if (excess <= 0) return fitting;
  return [
    withContent(first, (message) => {
      const room = estimateTokens(message.content) - excess;
      const content = message.content.slice(0, endWithin(message.content, 0, room));
      return { ...message, content, isCut: true };
    }),
  ];
}

type Lists = Readonly<Record<string, readonly unknown[]>>;

/**
 * The number of first items of each list, so that all lists together fit into `maxTokens`. The list that
 * takes most tokens loses its last item, until they fit. At least one item of each list remains.
 */
export function countsWithin(lists: Lists, maxTokens: number): Record<string, number> {
  const costs = Object.entries(lists).map(([name, items]) => {
    const each = items.map((item) => estimateTokens(item) + 1);
    return { name, each, sum: each.reduce((sum, cost) => sum + cost, 0) };
  });
  let total = OVERHEAD_TOKENS + costs.reduce((all, { sum }) => all + sum, 0);
  while (total > maxTokens) {
    const [longest] = costs.filter(({ each }) => each.length > 1).sort((a, b) => b.sum - a.sum);
    if (longest === undefined) break;
    const cost = longest.each.pop() ?? 0;
    longest.sum -= cost;
    total -= cost;
  }
  return Object.fromEntries(costs.map(({ name, each }) => [name, each.length]));
}

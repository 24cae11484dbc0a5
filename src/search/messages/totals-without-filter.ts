/**
 * How many matches a message search would have without one of its filters, or without all of them. If a search
 * finds nothing, tools/answers/no-results.ts shows these numbers.
 */
import type { MessageFilters } from './message-filters.js';

/** The totals without each of the given filters, and without all of them. */
export async function totalsWithout(
  filters: MessageFilters,
  totalWith: (others: MessageFilters) => Promise<number>,
): Promise<Partial<Record<keyof MessageFilters | 'all', number>>> {
  const names = ['conversationId', 'module', 'tag', 'role', 'startTime', 'endTime'] as const;
  const given = names.filter((name) => filters[name] !== undefined);
  const totals: Partial<Record<keyof MessageFilters | 'all', number>> = {};
  for (const name of given) {
    const { [name]: _dropped, ...others } = filters;
    totals[name] = await totalWith(others);
  }
  if (given.length > 1) totals.all = await totalWith({});
  return totals;
}

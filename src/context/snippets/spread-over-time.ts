/** The order in which the strategy `temporal` selects passages: from each period in turn. */
import type { RecalledHit } from '../../search/recall/recall-hits.js';

const PERIODS = 8;

/**
 * Takes the best passage of each period in turn, so that no part of a story is missing. In each turn the
 * best passages come first, because a small budget may end within the turn. `hits` are best first.
 */
export function spreadOverTime<T extends Pick<RecalledHit, 'createdAt'>>(hits: readonly T[]): T[] {
  const times = hits.map(({ createdAt }) => Date.parse(createdAt));
  const sorted = [...times].sort((a, b) => a - b);
  const periods: number[][] = Array.from({ length: PERIODS }, () => []);
  hits.forEach((_, at) => {
    // Periods have equal numbers of messages, because people write much on some days and nothing on others.
    const rank = sorted.indexOf(times[at] ?? 0) / Math.max(1, hits.length);
    periods[Math.min(PERIODS - 1, Math.floor(rank * PERIODS))]?.push(at);
  });
  const longest = Math.max(0, ...periods.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) =>
    periods.flatMap((period) => period[turn] ?? []).sort((a, b) => a - b),
  )
    .flat()
    .flatMap((at) => hits[at] ?? []);
}

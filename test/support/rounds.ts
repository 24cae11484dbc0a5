/**
 * The length and the randomness of tests: `DAYBOOK_SOAK=10` multiplies the rounds of every crash test.
 * `DAYBOOK_SEED` repeats a run whose seed was printed.
 */
import { seededRandom } from './seeded-random.js';

const SOAK = Number(process.env['DAYBOOK_SOAK'] ?? 1);

export const isSoak = SOAK > 1;

export function rounds(count: number): number {
  return Math.max(1, Math.round(count * SOAK));
}

/** The timeout of the whole test; it grows with the rounds. */
export function timeLimitMs(ms: number): number {
  return ms * Math.max(1, SOAK);
}

/**
 * All items in a soak; otherwise every `step`-th, from a random first one on, which is printed. So several
 * runs try all items.
 */
export function sampled<T>(what: string, items: readonly T[], step: number): T[] {
  const every = isSoak ? 1 : step;
  const first = Math.floor(printedRandom(what)() * every);
  return items.filter((_, index) => index % every === first);
}

/** A random source. Its seed is printed, so that a failure can be repeated. */
export function printedRandom(what: string): () => number {
  const seed = Number(process.env['DAYBOOK_SEED'] ?? Date.now() % 2 ** 31);
  console.log(`${what}: DAYBOOK_SEED=${seed}`);
  return seededRandom(seed);
}

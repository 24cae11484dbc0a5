/**
 * How deep JSON is nested. `JSON.parse` takes any depth, but what writes JSON calls itself for each level
 * and fails at some thousands.
 */

/** Of what is written: most readers of other languages take it. */
export const MAX_LEVELS_WRITTEN = 500;
/** Of what is read: every reader and writer here takes it. */
export const MAX_LEVELS_READ = 4_000;

/** Whether objects and lists lie in one another more than `levels` times. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const each of Object.values(value)) if (isDeeperThan(levels - 1, each)) return true;
  return false;
}

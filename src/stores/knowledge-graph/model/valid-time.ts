/**
 * The valid time of facts: from when to when a fact is true (`ts` to `validTo`), and how it ends. An open
 * fact has the end Infinity. All times are epoch milliseconds.
 */
import type { Operation } from './triple.js';

/** Whether the fact was true at `time`: for queries with `asOf`. `validTo` itself is excluded. */
export const isValidAt = (ts: number, validTo: number, time: number) =>
  ts <= time && time < validTo;

/**
 * Whether the fact belongs to the present at `now`: it is open (also if it begins later), or it is valid
 * now. Such a fact can be ended, and queries without `asOf` return it.
 */
export const isCurrent = (ts: number, validTo: number, now: number) =>
  validTo === Number.POSITIVE_INFINITY || isValidAt(ts, validTo, now);

/** Returns the fact after a `close`, which has no effect on a fact that is not current. */
export function closedBy(fact: Operation, { at, validTo }: Operation): Operation {
  if (!isCurrent(fact.ts, fact.validTo, at)) return fact;
  return { ...fact, validTo: Math.max(fact.ts, validTo) };
}

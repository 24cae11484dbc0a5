/**
 * The name under which a repair keeps a damaged file beside the repaired one: `state.broken-<UTC time>.json`
 * for `state.json`.
 */
import { compactTime } from '../../base/clock.js';

/** Matches the part that the name of the repaired file does not have. */
export const BROKEN_PART = /\.broken-\d{8}T\d{9}Z(?=\.json$)/;

/** `name` has no `.json`. `now` is in epoch milliseconds. */
export const brokenName = (name: string, now: number): string =>
  `${name}.broken-${compactTime(now)}.json`;

/** Days in UTC. */

export const DAY_MS = 86_400_000;

/** Such as 2025-01-31. `time`: Unix milliseconds. */
export const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** What sums over time can be of; the command line needs the names before anything else is loaded. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** Names that the help of the command line needs before anything else is loaded. */

/** What sums over time can be of. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** The tables of a report. */
export const TABLES = ['periods', 'modules', 'roles', 'models', 'conversations'] as const;
export type Table = (typeof TABLES)[number];

/** The names of the tables of a report. The help of the command line needs them before anything else is loaded. */

export const TABLES = ['periods', 'modules', 'roles', 'models', 'conversations'] as const;
export type Table = (typeof TABLES)[number];

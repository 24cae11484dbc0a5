/**
 * The names of the tables of a report. They are in a file of their own, because the command line needs them
 * for its help when it starts.
 */

export const TABLES = ['periods', 'modules', 'roles', 'models', 'conversations'] as const;
export type Table = (typeof TABLES)[number];

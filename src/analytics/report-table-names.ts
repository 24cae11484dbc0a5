/** The names of a report's tables, in their own file because the command line needs them for its help. */

export const TABLES = ['periods', 'modules', 'roles', 'models', 'conversations'] as const;
export type Table = (typeof TABLES)[number];

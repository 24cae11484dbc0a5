/**
 * The names of the match types; parse-query.ts says what they mean. They are in a file of their own because the
 * schemas of tools and the command line need them when a process starts, without the search.
 */

export const MATCH_TYPES = ['auto', 'fts5', 'exact', 'prefix', 'any', 'fuzzy'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

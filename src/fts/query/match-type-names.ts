/**
 * The names of the match types, apart from parse-query.ts, which defines them: the schemas of tools and the
 * command line need the names when a process starts, long before anything is searched.
 */

export const MATCH_TYPES = ['auto', 'fts5', 'exact', 'prefix', 'any', 'fuzzy'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

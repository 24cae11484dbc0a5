/**
 * The names of the match types, apart from the engine: the schemas of tools and the command line need
 * them when a process starts, long before anything is searched.
 */

export const MATCH_TYPES = ['auto', 'fts5', 'exact', 'prefix', 'any', 'fuzzy'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

/**
 * The names of the ways to search, apart from the search: schemas of tools and the command line say
 * them at the start of a process, before anything is searched.
 */

export const MATCH_TYPES = ['auto', 'fts5', 'exact', 'prefix', 'any', 'fuzzy'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

/** Of notes: ranked over sections, or line by line for a literal text or a regular expression. */
export const NOTE_SEARCH_MODES = ['ranked', 'exact', 'regex'] as const;
export type NoteSearchMode = (typeof NOTE_SEARCH_MODES)[number];

/**
 * The names of the ways to search notes, apart from the search itself: the schemas of tools and the
 * command line need them when a process starts.
 */

/** Ranked sections, or lines that contain a literal text or match a regular expression. */
export const NOTE_SEARCH_MODES = ['ranked', 'exact', 'regex'] as const;
export type NoteSearchMode = (typeof NOTE_SEARCH_MODES)[number];

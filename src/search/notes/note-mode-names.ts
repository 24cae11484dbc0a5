/**
 * The names of the modes of a search of notes. They are in a file of their own because the schemas of tools
 * and the command line need them when a process starts, without the search.
 */

/** Ranked sections, or lines that contain a literal text or match a regular expression. */
export const NOTE_SEARCH_MODES = ['ranked', 'exact', 'regex'] as const;
export type NoteSearchMode = (typeof NOTE_SEARCH_MODES)[number];

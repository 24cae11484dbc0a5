/**
 * What a caller of a search can choose, and what an answer names. These lists are in a file of their own because
 * the schemas of tools and the command line need them when a process starts, without the search.
 */

/** By words as in FTS5, by meaning, by both, or by what suits the query (`auto`). */
export const SEARCH_MODES = ['auto', 'keyword', 'semantic', 'hybrid'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** What an answer is based on: exact words; forms of words and neighbouring messages; these and vectors. */
export const SEARCH_TIERS = ['keyword', 'words', 'vectors'] as const;
export type SearchTier = (typeof SEARCH_TIERS)[number];

/** What `search_memory` searches. */
export const MEMORY_SOURCES = ['messages', 'notes', 'insights', 'facts'] as const;
export type MemorySource = (typeof MEMORY_SOURCES)[number];

/** Ranked sections of notes, or lines that contain a literal text or match a regular expression. */
export const NOTE_SEARCH_MODES = ['ranked', 'exact', 'regex'] as const;
export type NoteSearchMode = (typeof NOTE_SEARCH_MODES)[number];

/** What quick find finds. */
export const ENTRY_KINDS = ['conversation', 'note', 'heading', 'insight', 'subject'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The fields of an entry of quick find in which a word can be found. */
export const MATCH_FIELDS = ['title', 'tag', 'key', 'module', 'id'] as const;
export type MatchField = (typeof MATCH_FIELDS)[number];

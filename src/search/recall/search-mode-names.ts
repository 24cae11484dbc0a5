/**
 * The names of the modes of a message search. They are in a file of their own because the schemas of tools
 * and the command line need them when a process starts, without the search.
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

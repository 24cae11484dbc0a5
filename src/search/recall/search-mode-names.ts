/**
 * The names of the ways to search messages, apart from the search: the schemas of tools and the command
 * line need them when a process starts, long before anything is searched.
 */

/** By their words as FTS5 does, by meaning, by both, or by what suits the query (`auto`). */
export const SEARCH_MODES = ['auto', 'keyword', 'semantic', 'hybrid'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** What an answer was found with: exact words, forms of words and their surroundings, vectors too. */
export const SEARCH_TIERS = ['keyword', 'words', 'vectors'] as const;
export type SearchTier = (typeof SEARCH_TIERS)[number];

/** What `search_memory` searches. */
export const MEMORY_SOURCES = ['messages', 'notes', 'insights', 'facts'] as const;
export type MemorySource = (typeof MEMORY_SOURCES)[number];

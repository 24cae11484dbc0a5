/**
 * The kinds and fields of quick find. They are in a file of their own because the schemas of tools need
 * them when a process starts, without the index.
 */
export const ENTRY_KINDS = ['conversation', 'note', 'heading', 'insight', 'subject'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The fields of an entry in which a word can be found. */
export const MATCH_FIELDS = ['title', 'tag', 'key', 'module', 'id'] as const;
export type MatchField = (typeof MATCH_FIELDS)[number];

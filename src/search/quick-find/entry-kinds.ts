/**
 * What quick find can find and by what, apart from its index: the schemas of tools need these names when
 * a process starts, long before anything is searched.
 */
export const ENTRY_KINDS = ['conversation', 'note', 'heading', 'insight', 'subject'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The fields of an entry in which a word can be found. */
export const MATCH_FIELDS = ['title', 'tag', 'key', 'module', 'id'] as const;
export type MatchField = (typeof MATCH_FIELDS)[number];

/** The ways to select passages. */
export const SNIPPET_STRATEGIES = ['hybrid', 'topical', 'entity', 'temporal'] as const;
export type SnippetStrategy = (typeof SNIPPET_STRATEGIES)[number];

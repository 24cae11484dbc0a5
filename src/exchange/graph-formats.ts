/**
 * What can be chosen when facts go out and come in, apart from doing it: schemas of tools say it at
 * the start of a process.
 */

/** `jsonl`: everything, closed facts too; `memory`: memory.jsonl of server-memory; `mermaid`: a picture. */
export const GRAPH_FORMATS = ['jsonl', 'memory', 'mermaid'] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

/** What becomes of observations longer than a triple holds. */
export const LONG_OBSERVATIONS = ['refuse', 'notes'] as const;
export type LongObservations = (typeof LONG_OBSERVATIONS)[number];

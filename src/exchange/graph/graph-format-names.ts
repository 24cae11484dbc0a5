/** Options of graph exports and imports, in their own file because tool schemas load at the start. */

/** `jsonl`: all facts, also ended ones. `memory`: memory.jsonl of server-memory. `mermaid`: a diagram. */
export const GRAPH_FORMATS = ['jsonl', 'memory', 'mermaid'] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

/** Whether observations that are too long for a triple are refused or become notes. */
export const LONG_OBSERVATIONS = ['refuse', 'notes'] as const;
export type LongObservations = (typeof LONG_OBSERVATIONS)[number];

/**
 * The options of graph exports and imports. They are in a file of their own because the schemas of tools
 * need them when a process starts.
 */

/**
 * `jsonl`: all facts, including those that have ended. `memory`: memory.jsonl of server-memory. `mermaid`:
 * a diagram.
 */
export const GRAPH_FORMATS = ['jsonl', 'memory', 'mermaid'] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

/** Whether observations that are too long for a triple are refused or become notes. */
export const LONG_OBSERVATIONS = ['refuse', 'notes'] as const;
export type LongObservations = (typeof LONG_OBSERVATIONS)[number];

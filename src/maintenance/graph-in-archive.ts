/**
 * The names that archives have for the files of a graph that lies outside the memory bank, where
 * `MCP_KG_SNAPSHOT` and `MCP_KG_WAL` put it: the usual names, in a folder of their own.
 */
import type { GraphFiles } from '../stores/knowledge-graph/log/graph-files.js';

/** Paths on this machine by name in the archive. */
export const graphPathsOf = (files: GraphFiles): ReadonlyMap<string, string> =>
  new Map([
    ['knowledge-graph/kg_snapshot.json', files.snapshot],
    ['knowledge-graph/kg_snapshot.sha256', files.sidecar],
    ['knowledge-graph/kg_snapshot.previous.json', files.previousSnapshot],
    ['knowledge-graph/kg_wal.log', files.wal],
    ['knowledge-graph/kg_wal.previous.log', files.previousWal],
    ['knowledge-graph/kg_rejects.log', files.rejects],
  ]);

/**
 * Where the files of the knowledge graph lie in archives. One outside the memory bank, where
 * `MCP_KG_SNAPSHOT` and `MCP_KG_WAL` put it, has the usual names in a folder of its own. A restore puts
 * the graph where the settings of that moment place it, wherever it lay before.
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

/**
 * Paths on this machine for the graph of an archive that has these names. `paths` is what `graphPathsOf`
 * returns. With a graph in its own folder, one in the memory bank is not the one that was in use.
 */
export function restoredGraphPaths(
  names: readonly string[],
  paths: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (names.some((name) => paths.has(name))) return paths;
  return new Map(
    [...paths].map(([name, path]) => [name.replace('knowledge-graph/', 'memory-bank/'), path]),
  );
}

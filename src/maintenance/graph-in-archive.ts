/**
 * The names of the knowledge graph's files in archives. If `MCP_KG_SNAPSHOT` and `MCP_KG_WAL` name files
 * outside the memory bank, they are in the folder `knowledge-graph/` of the archive, under their default
 * names. A restore writes them to the paths of the present settings.
 */
import type { GraphFiles } from '../stores/knowledge-graph/log/graph-files.js';

/** Returns the paths on this machine by name in the archive. */
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
 * Returns the paths on this machine for the graph in an archive. `names`: all names in the archive; `paths`:
 * the result of `graphPathsOf`. If the archive has a graph in `knowledge-graph/`, that one was in use, and
 * not one in `memory-bank/`.
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

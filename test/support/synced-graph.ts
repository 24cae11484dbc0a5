/** A knowledge graph in a folder, with an fsync for every fact (a setting of servers). */
import { join } from 'node:path';
import { KnowledgeGraph } from '../../src/stores/knowledge-graph/knowledge-graph.js';

export const syncedGraphIn = (folder: string): KnowledgeGraph =>
  new KnowledgeGraph({
    snapshotPath: join(folder, 'kg_snapshot.json'),
    walPath: join(folder, 'kg_wal.log'),
    fsync: true,
    syncsAppends: true,
    maxTriples: 1e6,
    evict: 'off',
    ttlDays: Number.POSITIVE_INFINITY,
  });

export const factAbout = (subject: string) => ({ subject, predicate: 'is', object: 'there' });

/** The subjects of all facts, in the order in which they were added. */
export async function subjectsOf(graph: KnowledgeGraph): Promise<string[]> {
  const subjects: string[] = [];
  for await (const { subject } of graph.all()) subjects.push(subject);
  return subjects;
}

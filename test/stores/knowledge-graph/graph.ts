/** A knowledge graph in its own folder for one test, and functions to inspect it. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  KnowledgeGraph,
  type KnowledgeGraphOptions,
} from '../../../src/stores/knowledge-graph/knowledge-graph.js';
import type { Triple } from '../../../src/stores/knowledge-graph/model/triple.js';
import { tempFolder } from '../../support/temp-folder.js';

export const graphIn = (folder: string, options: Partial<KnowledgeGraphOptions> = {}) =>
  new KnowledgeGraph({
    snapshotPath: join(folder, 'kg_snapshot.json'),
    walPath: join(folder, 'kg_wal.log'),
    fsync: false,
    syncsAppends: false,
    maxTriples: 5000,
    evict: 'off',
    ttlDays: Number.POSITIVE_INFINITY,
    ...options,
  });

export function openGraph(options: Partial<KnowledgeGraphOptions> = {}, folder = tempFolder()) {
  const open = (more: Partial<KnowledgeGraphOptions> = {}) => {
    const graph = graphIn(folder, { ...options, ...more });
    onTestFinished(() => graph.close());
    return graph;
  };
  return { folder, open, graph: open() };
}

export const fact = (subject: string, predicate = 'knows', object = 'Charles') => ({
  subject,
  predicate,
  object,
});

export async function allOf(graph: KnowledgeGraph): Promise<Triple[]> {
  const triples: Triple[] = [];
  for await (const triple of graph.all()) triples.push(triple);
  return triples;
}

export const namesOf = (triples: readonly Triple[]) =>
  triples.map(({ subject, predicate, object }) => [subject, predicate, object].join('|'));

export const PAGE = { offset: 0, limit: 10_000 };

/**
 * How central each sentence is to a text: PageRank over the graph of similar sentences (LexRank, Erkan and
 * Radev 2004; TextRank is the same). The similarity is the cosine of tf·idf vectors.
 */
import type { TimeSlice } from '../../base/async/time-slice.js';

export type Vector = ReadonlyMap<string, number>;

const DAMPING = 0.85;
const ROUNDS = 20;
/** A lower similarity is chance and makes no edge. */
const MIN_SIMILARITY = 0.1;

/** Vectors of length 1, weighted by the idf over this list; an empty vector stays empty. */
export function tfIdfVectors(termCounts: readonly Vector[]): Vector[] {
  const documents = new Map<string, number>();
  for (const counts of termCounts) {
    for (const term of counts.keys()) documents.set(term, (documents.get(term) ?? 0) + 1);
  }
  return termCounts.map((counts) => {
    const weights = [...counts].map(([term, count]): [string, number] => {
      const idf = Math.log(1 + termCounts.length / (documents.get(term) ?? 1));
      return [term, (1 + Math.log(count)) * idf];
    });
    const length = Math.hypot(...weights.map(([, weight]) => weight));
    return new Map(weights.map(([term, weight]) => [term, weight / length]));
  });
}

/** 0 to 1, for vectors of length 1. */
export function cosine(a: Vector, b: Vector): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0);
  return sum;
}

/** The centrality of each vector; the greatest is 1. */
export async function centralities(
  vectors: readonly Vector[],
  slice: TimeSlice,
): Promise<number[]> {
  const edges = await edgesOf(vectors, slice);
  const sums = edges.map((row) => row.reduce((sum, [, weight]) => sum + weight, 0));
  let ranks = vectors.map(() => 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    if (slice.isSpent()) await slice.yield();
    const next = vectors.map(() => 1 - DAMPING);
    for (const [from, row] of edges.entries()) {
      const share = (DAMPING * (ranks[from] ?? 0)) / (sums[from] || 1);
      for (const [to, weight] of row) next[to] = (next[to] ?? 0) + share * weight;
    }
    ranks = next;
  }
  const greatest = Math.max(...ranks, Number.MIN_VALUE);
  return ranks.map((rank) => rank / greatest);
}

async function edgesOf(
  vectors: readonly Vector[],
  slice: TimeSlice,
): Promise<[number, number][][]> {
  const edges = vectors.map((): [number, number][] => []);
  for (const [at, vector] of vectors.entries()) {
    if (slice.isSpent()) await slice.yield();
    for (let other = 0; other < at; other += 1) {
      const similarity = cosine(vector, vectors[other] ?? new Map());
      if (similarity < MIN_SIMILARITY) continue;
      edges[at]?.push([other, similarity]);
      edges[other]?.push([at, similarity]);
    }
  }
  return edges;
}

/**
 * How central each sentence is to all of them: PageRank over the graph of their likeness (LexRank,
 * Erkan and Radev 2004; TextRank is the same walk). Likeness is the cosine of tf·idf vectors.
 */
import type { TimeSlice } from '../../base/time-slice.js';

export type Vector = ReadonlyMap<string, number>;

const DAMPING = 0.85;
const ROUNDS = 20;
/** Below it two sentences share no more than by chance. */
const LEAST_LIKENESS = 0.1;

/** Vectors of length 1, weighted by idf over the list itself; an empty one stays empty. */
export function weighted(termCounts: readonly Vector[]): Vector[] {
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

/** 0 to 1 for vectors of length 1. */
export function cosine(a: Vector, b: Vector): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0);
  return sum;
}

/** One value a vector, the greatest 1. */
export async function centralities(
  vectors: readonly Vector[],
  slice: TimeSlice,
): Promise<number[]> {
  const links = await linksOf(vectors, slice);
  const sums = links.map((row) => row.reduce((sum, [, weight]) => sum + weight, 0));
  let ranks = vectors.map(() => 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    if (slice.isSpent()) await slice.yield();
    const next = vectors.map(() => 1 - DAMPING);
    for (const [from, row] of links.entries()) {
      const share = (DAMPING * (ranks[from] ?? 0)) / (sums[from] || 1);
      for (const [to, weight] of row) next[to] = (next[to] ?? 0) + share * weight;
    }
    ranks = next;
  }
  const greatest = Math.max(...ranks, Number.MIN_VALUE);
  return ranks.map((rank) => rank / greatest);
}

async function linksOf(
  vectors: readonly Vector[],
  slice: TimeSlice,
): Promise<[number, number][][]> {
  const links = vectors.map((): [number, number][] => []);
  for (const [at, vector] of vectors.entries()) {
    if (slice.isSpent()) await slice.yield();
    for (let other = 0; other < at; other += 1) {
      const likeness = cosine(vector, vectors[other] ?? new Map());
      if (likeness < LEAST_LIKENESS) continue;
      links[at]?.push([other, likeness]);
      links[other]?.push([at, likeness]);
    }
  }
  return links;
}

/** Names like one that no fact has: they contain it, in upper or lower case. */
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import type { PARTS } from '../../stores/knowledge-graph/model/triple.js';

/** So many facts with the words of the name are looked at. */
const MAX_FACTS = 200;
const MAX_NAMES = 5;

/** A sentence with such names, and a space before it; empty if there are none. */
export async function similarNames(
  kg: KnowledgeGraph,
  parts: readonly (typeof PARTS)[number][],
  name: string,
): Promise<string> {
  const { triples } = await kg.query(
    { text: name, includeClosed: true },
    { limit: MAX_FACTS, offset: 0 },
  );
  const wanted = name.toLowerCase();
  const similar = triples
    .flatMap((triple) => parts.map((part) => triple[part]))
    .filter((other) => other.toLowerCase().includes(wanted));
  if (similar.length === 0) return '';
  const names = [...new Set(similar)].slice(0, MAX_NAMES);
  return ` Similar names: ${names.map((other) => JSON.stringify(other)).join(', ')}.`;
}

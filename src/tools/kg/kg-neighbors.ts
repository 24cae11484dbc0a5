/** The tool `kg_neighbors`: returns the facts around a node, nearest first. */

import { z } from 'zod';
import { countOf } from '../../base/text/display-text.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import { toTripleView } from '../../stores/knowledge-graph/model/triple.js';
import { countWithin, maxTokens } from '../answers/answer-budget.js';
import { similarGraphNames } from '../answers/no-results.js';
import { pagination } from '../answers/offset-page.js';
import { pageFields, pageSchema, tripleSchema, visibilityFields } from '../answers/triple-view.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';
import { endOf } from '../fields/date-field.js';

export const kgNeighbors = defineTool({
  name: 'kg_neighbors',
  aliases: ['kg/neighbors'],
  toolset: 'kg',
  title: 'Facts around a node',
  description:
    'Returns the facts around one node of the knowledge graph, nearest first. Use it to collect the facts about a person, project or thing.',
  input: () =>
    z.strictObject({
      node: z.string().max(1000).describe('A subject or object, exactly.'),
      depth: z.int().min(1).max(6).describe('Number of steps.').default(1),
      direction: z
        .enum(['out', 'in', 'both'])
        .describe('out: facts with the node as subject; in: facts with it as object.')
        .default('both'),
      predicate: optionalText('Only facts with this predicate.'),
      ...visibilityFields,
      ...pageFields,
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      ...pageSchema,
      triples: z.array(tripleSchema),
      nodes: z.array(z.object({ node: z.string(), depth: z.int() })),
      isCut: z.boolean().describe('True if the search stopped at 100000 facts.'),
      note: optionalText('The reason if nothing was found.'),
    }),
  annotations: READS,
  view: 'graph',
  quotesText: true,
  async run({ node, asOf, limit, offset, maxTokens: budget, ...walk }, { kg }) {
    const time = asOf === undefined ? undefined : endOf('asOf', asOf);
    const found = await kg.neighbors(node, { ...walk, asOf: time }, { limit, offset });
    const views = found.triples.map(toTripleView);
    // The answer also lists the nodes of each fact, so their tokens count too.
    const measured = views.map((view) => [view, nodesOf(view)]);
    const triples = views.slice(0, countWithin(measured, budget));
    const shownNodes = new Set(triples.flatMap(nodesOf));
    return {
      ...pagination(found.total, offset, triples.length),
      triples,
      nodes: found.nodes.filter(({ node: name }) => shownNodes.has(name)),
      isCut: found.isCut,
      ...(found.total === 0 && { note: await explainNoFacts(kg, node) }),
    };
  },
});

/** Explains an empty result by the number of facts, also ended facts, that have the node. */
async function explainNoFacts(kg: KnowledgeGraph, node: string): Promise<string> {
  const page = { offset: 0, limit: 0 };
  const [out, into] = await Promise.all([
    kg.query({ subject: node, includeClosed: true }, page),
    kg.query({ object: node, includeClosed: true }, page),
  ]);
  if (out.total + into.total === 0) {
    const similar = await similarGraphNames(kg, ['subject', 'object'], node);
    return `No fact has ${JSON.stringify(node)} as subject or object.${similar} Names must be exact: find them with \`kg_subjects\`, or with \`kg_query\` and words.`;
  }
  return `${countOf(out.total, 'fact has', 'facts have')} this node as subject and ${into.total} as object, including ended facts. Try another \`direction\` or \`predicate\`, or \`includeClosed\` or \`asOf\`.`;
}

function nodesOf({ subject, object }: { subject: string; object: string }): string[] {
  return [subject, object];
}

/** The tool `kg_query`: returns the facts that match all given conditions. */

import { z } from 'zod';
import { countOf, shortened } from '../../base/text/display-text.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import { PARTS, toTripleView } from '../../stores/knowledge-graph/model/triple.js';
import type { TripleFilter } from '../../stores/knowledge-graph/table/graph-query.js';
import { countWithin, maxTokens } from '../answers/answer-budget.js';
import { similarGraphNames } from '../answers/no-results.js';
import { pagination } from '../answers/offset-page.js';
import { pageFields, pageSchema, tripleSchema, visibilityFields } from '../answers/triple-view.js';
import { defineTool, flag, optionalText, READS, success } from '../define-tool.js';
import { dateField, endOf, spanOf } from '../fields/date-field.js';

export const kgQuery = defineTool({
  name: 'kg_query',
  aliases: ['kg/query'],
  toolset: 'kg',
  title: 'Find facts',
  description:
    'Finds facts by subject, predicate, object, words and time; all conditions must match. Facts that have ended are returned only with asOf or includeClosed.',
  input: () =>
    z.strictObject({
      subject: optionalText('The subject, exactly.'),
      predicate: optionalText('The predicate, exactly.'),
      object: optionalText('The object, exactly.'),
      prefix: flag('The given subject, predicate and object are only beginnings.'),
      text: optionalText('Words that must all be in the fact, in upper or lower case.'),
      ...visibilityFields,
      since: dateField('Began at or after this time'),
      until: dateField('Began at or before this time'),
      order: z.enum(['oldest', 'newest']).describe('Order of the facts.').default('oldest'),
      ...pageFields,
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      ...pageSchema,
      triples: z.array(tripleSchema),
      note: optionalText('The reason if nothing was found.'),
    }),
  annotations: READS,
  view: 'graph',
  quotesText: true,
  async run({ asOf, since, until, order, limit, offset, maxTokens: budget, ...parts }, { kg }) {
    const { start, end } = spanOf({ since, until });
    const filter: TripleFilter = {
      ...parts,
      ...(asOf !== undefined && { asOf: endOf('asOf', asOf) }),
      ...(start !== undefined && { since: start }),
      ...(end !== undefined && { until: end }),
    };
    const found = await kg.query(filter, { order, limit, offset });
    const views = found.triples.map(toTripleView);
    const triples = views.slice(0, countWithin(views, budget));
    return {
      ...pagination(found.total, offset, triples.length),
      triples,
      ...(found.total === 0 && { note: await explainNoFacts(kg, filter) }),
    };
  },
});

/** Explains an empty result: searches for each part alone, to find the part that no fact has. */
export async function explainNoFacts(kg: KnowledgeGraph, filter: TripleFilter): Promise<string> {
  const all = { includeClosed: true, prefix: filter.prefix };
  const page = { offset: 0, limit: 0 };
  const { total } = await kg.query({ includeClosed: true }, page);
  if (total === 0) {
    const { damagedLines } = await kg.stats();
    return damagedLines === 0
      ? 'The knowledge graph is empty; `kg_add` adds facts.'
      : `No fact can be read: the files of the graph have ${countOf(damagedLines, 'damaged line')} (\`kg_stats\`).`;
  }
  const unknown: string[] = [];
  for (const part of PARTS) {
    const name = filter[part];
    if (name === undefined) continue;
    const alone = await kg.query({ ...all, [part]: name }, page);
    if (alone.total > 0) continue;
    const begins = filter.prefix === true ? ' that begins with' : '';
    const similar = await similarGraphNames(kg, [part], name);
    unknown.push(`No fact has a ${part}${begins} ${quoted(name)}.${similar}`);
  }
  if (filter.text !== undefined) {
    const alone = await kg.query({ ...all, text: filter.text }, page);
    if (alone.total === 0) unknown.push(`No fact has the text ${quoted(filter.text)}.`);
  }
  if (unknown.length > 0) {
    const isNamed = PARTS.some((part) => filter[part] !== undefined);
    const advice = isNamed
      ? 'Names must be exact. Try `prefix` or `text`, or find subjects with `kg_subjects`.'
      : '`kg_subjects` lists the subjects.';
    return `${unknown.join(' ')} ${advice}`;
  }
  const closed = await kg.query({ ...filter, asOf: undefined, includeClosed: true }, page);
  if (closed.total > 0) {
    return `${countOf(closed.total, 'fact matches', 'facts match')} at another time: try ${filter.asOf === undefined ? '`includeClosed` or `asOf`' : 'another `asOf`, or `includeClosed` without `asOf`'}.`;
  }
  return 'Each condition matches some fact, but no fact matches all conditions.';
}

const quoted = (text: string) => JSON.stringify(shortened(text));

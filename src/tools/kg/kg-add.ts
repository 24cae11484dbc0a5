/** The tool `kg_add`: stores all facts of a call in the knowledge graph, or none. */
import { z } from 'zod';
import { type NewTriple, toTripleView } from '../../stores/knowledge-graph/model/triple.js';
import { maskedField, noteBetween } from '../answers/masked-note.js';
import { listed, newTripleFields, tripleSchema, triplesOf } from '../answers/triple-view.js';
import { ADDS, defineTool, flag, success } from '../define-tool.js';
import { startOf } from '../fields/date-field.js';

export const kgAdd = defineTool({
  name: 'kg_add',
  aliases: ['kg/add'],
  toolset: 'kg',
  title: 'Remember facts',
  description:
    'Stores facts as triples such as Ada / lives in / London; with replaces, a new value ends the old one. First find the names in use with kg_query.',
  input: () =>
    z.strictObject({
      ...newTripleFields,
      replaces: flag(
        'End the current facts with the same subject and predicate that began earlier.',
      ),
    }),
  output: () =>
    z.object({
      success,
      added: z.int().describe('Number of new facts.'),
      total: z.int().describe('Number of given facts.'),
      triples: z
        .array(tripleSchema.extend({ added: z.boolean() }))
        .describe('At most 50 facts; those that existed before come first.'),
      closedTotal: z.int().describe('Facts that ended because of replaces.'),
      closed: z.array(tripleSchema).describe('At most 50 of the facts that ended.'),
      note: maskedField,
    }),
  annotations: { ...ADDS, idempotentHint: true },
  writesLater: true,
  async run({ replaces, ...given }, { kg }) {
    const requested = triplesOf(given).map(toNewTriple);
    const { triples, closed } = await kg.add(requested, { replaces, mayDefer: true });
    const views = triples.map(({ added, ...triple }) => ({ ...toTripleView(triple), added }));
    return {
      added: triples.filter(({ added }) => added).length,
      total: triples.length,
      triples: listed(views, ({ added }) => !added),
      closedTotal: closed.length,
      closed: listed(closed.map(toTripleView)),
      ...noteBetween(requested, triples),
    };
  },
});

function toNewTriple({ ts, ...triple }: Omit<NewTriple, 'ts'> & { ts?: string }): NewTriple {
  return ts === undefined ? triple : { ...triple, ts: startOf('ts', ts) };
}

/** The tool `kg_delete`: removes facts permanently, or ends them so that they can still be found as past. */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { requireBegun } from '../../stores/knowledge-graph/check-end-time.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import { keyOf, type TripleKey, toTripleView } from '../../stores/knowledge-graph/model/triple.js';
import { hasOneForm } from '../../stores/knowledge-graph/table/graph-query.js';
import { keyFields, listed, tripleSchema, triplesOf } from '../answers/triple-view.js';
import { defineTool, flag, REMOVES, success } from '../define-tool.js';
import { dateField, startOf } from '../fields/date-field.js';

/** Enough for each form of the three names, and for facts that ended and began again. */
const ALL_FORMS = { offset: 0, limit: 1_000 };

export const kgDelete = defineTool({
  name: 'kg_delete',
  aliases: ['kg/delete'],
  toolset: 'kg',
  title: 'Delete or end facts',
  description:
    'Deletes facts with their whole history: use it for what was never true. For what is no longer true pass close: the fact ends, and kg_query asOf still finds it.',
  input: () =>
    z.strictObject({
      ...keyFields,
      close: flag('End the facts instead of deleting them.'),
      validTo: dateField('With close: time when the facts ended'),
    }),
  output: () =>
    z.object({
      success,
      deleted: z.int().describe('Number of facts that were deleted or ended.'),
      total: z.int().describe('Number of given facts.'),
      triples: z
        .array(
          tripleSchema
            .partial({ ts: true })
            .extend({ deleted: z.boolean().describe('True if the fact was deleted or ended.') }),
        )
        .describe('At most 50 facts; those that were not found come first.'),
    }),
  annotations: REMOVES,
  writesLater: true,
  async run({ close, validTo, ...given }, { kg }) {
    const keys = await storedForms(kg, triplesOf(given));
    if (validTo !== undefined && !close) {
      throw new AppError(
        'VALIDATION_ERROR',
        '`validTo` is the time when facts ended, so it needs `close: true`.',
        {
          hint: 'To end the facts, give `close: true`. To delete them with their whole history, omit `validTo`.',
          details: { field: 'validTo' },
        },
      );
    }
    const end = validTo === undefined ? undefined : startOf('validTo', validTo);
    if (end !== undefined) await requireBegun(kg, keys, end);
    const options = { mayDefer: true, ...(end !== undefined && { validTo: end }) };
    const removed = await (close ? kg.end(keys, options) : kg.delete(keys, options));
    const views = removed.map(({ removed: deleted, ...triple }) => {
      const { ts, ...view } = toTripleView(triple);
      return { ...view, ...(deleted && { ts }), deleted };
    });
    return {
      deleted: removed.filter((triple) => triple.removed).length,
      total: removed.length,
      triples: listed(views, ({ deleted }) => !deleted),
    };
  },
});

/**
 * The keys as they are stored. A fact that was imported or written by hand may have a name in another form of
 * Unicode. A key that no fact has stays as it is.
 */
async function storedForms(
  kg: KnowledgeGraph,
  keys: readonly TripleKey[],
): Promise<readonly TripleKey[]> {
  const stored = keys.map(async (key) => {
    if (hasOneForm(key)) return [key];
    const { triples } = await kg.query({ ...key, includeClosed: true }, ALL_FORMS);
    const found = new Map(triples.map((triple) => [keyText(triple), keyOf(triple)]));
    return found.size > 0 ? [...found.values()] : [key];
  });
  return (await Promise.all(stored)).flat();
}

const keyText = (key: TripleKey) => JSON.stringify(keyOf(key));

/**
 * The tool `kg_delete`: removes facts permanently, or ends them so that the past stays readable.
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { dateField, startOf } from '../date-field.js';
import { defineTool, REMOVES, success } from '../define-tool.js';
import { keyFields, listed, toView, tripleSchema, triplesOf } from '../triple-view.js';

export const kgDelete = defineTool({
  name: 'kg_delete',
  aliases: ['kg/delete'],
  toolset: 'kg',
  title: 'Delete or end facts',
  description:
    'Deletes facts with all their past, for what was never true. For what is no longer true pass close: the fact ends and stays readable with kg_query asOf.',
  input: () =>
    z.strictObject({
      ...keyFields,
      close: z.boolean().describe('End the facts in place of deleting them.').default(false),
      validTo: dateField('When they ended, with close'),
    }),
  output: () =>
    z.object({
      success,
      deleted: z.number().int().describe('How many were there.'),
      total: z.number().int().describe('How many were named.'),
      triples: z
        .array(
          tripleSchema.partial({ ts: true }).extend({ deleted: z.boolean().describe('Or ended.') }),
        )
        .describe('At most 50; those that were added come first.'),
    }),
  annotations: REMOVES,
  writesLater: true,
  async run({ close, validTo, ...given }, { kg }) {
    const keys = triplesOf(given);
    if (validTo !== undefined && !close) {
      throw new AppError(
        'VALIDATION_ERROR',
        '`validTo` says when facts ended; it needs `close: true`.',
        {
          hint: 'Give `close: true` to end them, or leave `validTo` out to delete them with all their past.',
          details: { field: 'validTo' },
        },
      );
    }
    const end = validTo === undefined ? undefined : startOf('validTo', validTo);
    const options = { mayDefer: true, ...(end !== undefined && { validTo: end }) };
    const removed = await (close ? kg.end(keys, options) : kg.delete(keys, options));
    const views = removed.map(({ removed: deleted, ...triple }) => {
      const { ts, ...view } = toView(triple);
      return { ...view, ...(deleted && { ts }), deleted };
    });
    return {
      deleted: removed.filter((triple) => triple.removed).length,
      total: removed.length,
      triples: listed(views, ({ deleted }) => !deleted),
    };
  },
});

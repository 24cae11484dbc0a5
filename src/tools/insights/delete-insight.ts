/** The tool `delete_insight`: moves an insight to the trash, or removes it permanently. */

import { z } from 'zod';
import { removeInsight } from '../../app/purge-deleted.js';
import { AppError } from '../../base/errors.js';
import { INSIGHT_ID } from '../../stores/insights/schema.js';
import { defineTool, REMOVES, success } from '../define-tool.js';
import { permanentField, trashNameField } from '../fields/trash-fields.js';

/** `idField` changes a text to lower case, but a name in the trash has capitals. */
const idOrTrashName = z
  .string()
  .overwrite((text) => (INSIGHT_ID.test(text.toLowerCase()) ? text.toLowerCase() : text))
  .refine((text) => INSIGHT_ID.test(text.split('.', 1)[0] ?? ''), 'Invalid UUID')
  .describe('Id, or name in the trash.');

export const deleteInsight = defineTool({
  name: 'delete_insight',
  aliases: ['delete-insight'],
  toolset: 'insights',
  title: 'Delete an insight',
  description:
    'Moves an insight to the trash, from which the user can restore it; use permanent only when the user asks for it. deleted: false means that the insight does not exist.',
  input: () =>
    z.strictObject({
      id: idOrTrashName,
      permanent: permanentField,
    }),
  output: () =>
    z.object({
      success,
      deleted: z.boolean(),
      id: z.string(),
      trashName: trashNameField,
    }),
  annotations: REMOVES,
  writesLater: true,
  async run({ id, permanent }, app) {
    if (permanent) return { deleted: await removeInsight(app, id), id };
    if (!INSIGHT_ID.test(id)) throw onlyPermanent();
    const deleted = await app.insights.trash(id, { mayDefer: true });
    return { deleted: deleted !== undefined, id, ...deleted };
  },
});

function onlyPermanent(): AppError {
  return new AppError('VALIDATION_ERROR', '`id` is a name in the trash.', {
    hint: 'To remove it from the trash permanently, give `permanent: true`. To delete an insight that is not in the trash, give its id.',
    details: { field: 'id' },
  });
}

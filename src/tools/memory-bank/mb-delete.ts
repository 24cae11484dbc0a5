/** The tool `mb_delete`: moves a note to the trash, or removes it permanently. */

import { z } from 'zod';
import { purgeDeletedNotes } from '../../app/purge-deleted.js';
import { defineTool, REMOVES, success } from '../define-tool.js';
import { expectedHash, notePath } from '../fields/note-fields.js';
import { permanentField, trashNameField, trashPathField } from '../fields/trash-fields.js';

export const mbDelete = defineTool({
  name: 'mb_delete',
  aliases: ['mb/delete'],
  toolset: 'memory_bank',
  title: 'Delete a note',
  description:
    'Moves a note to the trash, from which the user can restore it (daybook restore). Use permanent only when the user asks for it.',
  input: () =>
    z.strictObject({
      path: notePath(),
      hash: expectedHash,
      permanent: permanentField,
    }),
  output: () =>
    z.object({
      success,
      path: z.string(),
      deleted: z.boolean(),
      permanent: z.boolean(),
      trashName: trashNameField,
      trashPath: trashPathField,
    }),
  annotations: REMOVES,
  writesLater: true,
  async run({ path, hash, permanent }, app) {
    const isOfTrash = permanent && hash === undefined && (await purgeDeletedNotes(app, path));
    if (isOfTrash) return { path, deleted: true, permanent };
    const options = {
      permanent,
      mayDefer: true,
      ...(hash !== undefined && { expectedHash: hash }),
    };
    return { path, deleted: true, permanent, ...(await app.memoryBank.delete(path, options)) };
  },
});

/** The tool `mb_delete`: moves a note to the trash, or removes it permanently. */
import { z } from 'zod';
import { defineTool, REMOVES, success } from '../define-tool.js';
import { expectedHash, notePath } from '../note-fields.js';

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
      permanent: z
        .boolean()
        .describe('Remove it permanently; this cannot be undone.')
        .default(false),
    }),
  output: () =>
    z.object({
      success,
      path: z.string(),
      deleted: z.boolean(),
      permanent: z.boolean(),
      trashName: z
        .string()
        .describe('Name in the trash, with which it can be restored.')
        .exactOptional(),
      trashPath: z.string().describe('Its present path.').exactOptional(),
    }),
  annotations: REMOVES,
  writesLater: true,
  async run({ path, hash, permanent }, { memoryBank }) {
    const options = {
      permanent,
      mayDefer: true,
      ...(hash !== undefined && { expectedHash: hash }),
    };
    return { path, deleted: true, permanent, ...(await memoryBank.delete(path, options)) };
  },
});

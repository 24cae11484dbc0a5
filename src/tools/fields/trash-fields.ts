/** The fields that all tools that delete share: `permanent`, and the place of the item in the trash. */
import { z } from 'zod';

export const permanentField = z
  .boolean()
  .describe('Remove it permanently, also from the trash.')
  .default(false);

export const trashNameField = z
  .string()
  .describe('Name in the trash, with which it can be restored.')
  .exactOptional();

export const trashPathField = z.string().describe('Its present path.').exactOptional();

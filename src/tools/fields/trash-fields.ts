/** The fields that all tools that delete share: `permanent`, and the place of the item in the trash. */
import { flag, optionalText } from '../define-tool.js';

export const permanentField = flag('Remove it permanently, also from the trash.');

export const trashNameField = optionalText('Name in the trash, with which it can be restored.');

export const trashPathField = optionalText('Its present path.');

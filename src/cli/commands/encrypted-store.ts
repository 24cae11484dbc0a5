/** What commands that read the bytes of files say where those bytes are encrypted. */
import { AppError } from '../../base/errors.js';

export const encrypted = (command: string): AppError =>
  new AppError('VALIDATION_ERROR', `daybook ${command} cannot look into an encrypted store.`, {
    hint: `Nothing was changed. Run daybook decrypt, then daybook ${command}, then daybook encrypt.`,
  });

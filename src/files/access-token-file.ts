/** The access token of the local HTTP server, in a file that only the user of the server can read. */
import { chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, isAppError } from '../base/errors.js';
import { randomHex } from '../base/ids.js';
import { makeFolder } from './atomic/atomic-write.js';
import { writeNewFile } from './atomic/new-file-stream.js';
import { FILE_MODE } from './private-modes.js';
import { readTextIfPresent } from './safe-access/given-file.js';

const TOKEN_BYTES = 32;

/**
 * Returns the token in the file at `path`. The first call creates the file with mode 0600 and a random
 * token of 64 hexadecimal digits. Processes that call it at the same time get the same token.
 * VALIDATION_ERROR if the file contains no token; FILESYSTEM_ERROR.
 */
export async function readOrCreateToken(path: string): Promise<string> {
  await makeFolder(dirname(path));
  try {
    await writeNewFile(path, [`${randomHex(TOKEN_BYTES)}\n`], { fsync: true });
  } catch (error) {
    if (!isAppError(error, 'ALREADY_EXISTS')) throw error;
    await chmod(path, FILE_MODE);
  }
  const token = readTextIfPresent(path)?.trim() ?? '';
  if (/^[\w.~+/-]{16,512}=*$/.test(token)) return token;
  throw new AppError('VALIDATION_ERROR', `${path} does not contain a token.`, {
    hint: 'Delete the file and start the server again. It makes a new token.',
  });
}

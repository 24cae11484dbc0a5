/**
 * Sends the file of a conversation as it is on the disk, also a damaged file. It is sent as plain text,
 * which a browser does not run, and as a stream, because a file can have 200 MB. In an encrypted store
 * the texts in it are encrypted.
 */
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { App } from '../../../app.js';
import { errnoOf, isAppError } from '../../../base/errors.js';
import { fileError } from '../../../files/file-errors.js';
import { openHandle } from '../../../files/safe-access/open-regular.js';
import { CONVERSATION_ID } from '../../../stores/conversations/document/conversation-id.js';
import { HttpError } from '../http-error.js';
import { RAW_FILE_HEADERS } from './security-headers.js';

/**
 * Resolves when the file is sent, the browser has disconnected, or `end` is aborted. Throws HttpError 404
 * (no such file) or 422 (a link, or a file that cannot be read).
 */
export async function sendRawFile(app: App, id: string, res: Response, end: AbortSignal) {
  if (!CONVERSATION_ID.test(id)) throw noFile();
  const path = join(app.conversations.path(id), 'conversation.json');
  const handle = await openHandle(path).catch((error: unknown) => {
    throw errnoOf(error) === 'ENOENT' ? noFile() : unreadable(error, path);
  });
  res.set(RAW_FILE_HEADERS);
  const isGone = (error: unknown) => {
    if (!res.destroyed) throw error;
  };
  await pipeline(handle.createReadStream(), res, { signal: end }).catch(isGone);
}

const noFile = () =>
  new HttpError(
    404,
    'The store has no such file. Perhaps the conversation was deleted (see the trash), or the store was moved.',
  );

function unreadable(error: unknown, path: string): HttpError {
  const { message } = isAppError(error) ? error : fileError(error, 'read', path);
  return new HttpError(422, message);
}

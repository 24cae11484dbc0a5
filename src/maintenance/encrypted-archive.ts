/**
 * Backups of an encrypted store: how they are recognised, and checks before a restore. Their files are sealed
 * with the key in `encryption.json`, so this file is restored too. It is restored last, because from then on the
 * root needs this key, and only if the root has no conversation that is plain or not in the backup.
 */
import { join } from 'node:path';
import { AppError, isAppError } from '../base/errors.js';
import { listFolders } from '../files/paths/folders.js';
import { readStored } from '../files/read/whole-file.js';
import { SEALED_TEXT_START } from '../files/sealing/sealed-form.js';
import { readArchive } from '../files/tar-archive.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import type { BackupArea } from './backup-content.js';

const LOGS = 'conversation-logs';
export const MARKER_NAME = `${LOGS}/encryption.json`;

/**
 * CONFLICT if the root has another key, or is not encrypted and has conversations that are plain or not in
 * the archive.
 */
export async function requireSameEncryption(
  path: string,
  names: readonly string[],
  areas: readonly BackupArea[],
): Promise<void> {
  const logsFolder = areas.find(({ name }) => name === LOGS)?.folder;
  if (logsFolder === undefined || !names.includes(MARKER_NAME)) return;
  const current = await readStored(join(logsFolder, 'encryption.json'));
  if (current !== undefined) {
    if (Buffer.compare(current.bytes, await markerIn(path)) === 0) return;
    throw conflict('This backup and this root are encrypted with different keys.');
  }
  const here = (await listFolders(logsFolder)).filter((id) => CONVERSATION_ID.test(id));
  for (const id of here) {
    const isInArchive = names.some((name) => name.startsWith(`${LOGS}/${id}/`));
    if (isInArchive && !(await isPlain(join(logsFolder, id, 'conversation.json')))) continue;
    throw conflict(
      'This backup is encrypted, but the conversations of this root are not encrypted.',
    );
  }
}

/** False for a sealed conversation: a restore that was interrupted has written it without the marker. */
async function isPlain(path: string): Promise<boolean> {
  const found = await readStored(path);
  return found !== undefined && !isSealed(found.bytes);
}

const isSealed = (conversation: Uint8Array): boolean =>
  Buffer.from(conversation).includes(`"${SEALED_TEXT_START}`);

/**
 * Whether this is a backup of an encrypted store. It is read up to its first conversation, because reading all
 * of it can take minutes. False if it cannot be read.
 */
export async function isEncryptedBackup(path: string): Promise<boolean> {
  try {
    for await (const { name, bytes } of readArchive(path)) {
      if (name === MARKER_NAME) return true;
      if (name.endsWith('/conversation.json')) return isSealed(bytes);
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
  return false;
}

async function markerIn(path: string): Promise<Uint8Array> {
  for await (const { name, bytes } of readArchive(path)) if (name === MARKER_NAME) return bytes;
  return new Uint8Array();
}

const conflict = (message: string): AppError =>
  new AppError('CONFLICT', message, {
    hint: 'Nothing was restored. Restore the backup into an empty root (--root FOLDER), or extract it with --to FOLDER.',
  });

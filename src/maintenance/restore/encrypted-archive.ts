/**
 * Backups of an encrypted store: how they are recognised, and checks before a restore. Their files are sealed
 * with the key in `encryption.json`, so this file is restored too. It is restored last, because from then on the
 * root needs this key, and only if the root has no conversation that is plain or not in the backup.
 */
import { join } from 'node:path';
import { AppError, isAppError } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import { listFolders } from '../../files/paths/folders.js';
import { walkFiles } from '../../files/read/walk-files.js';
import { readStored } from '../../files/read/whole-file.js';
import { sealedDocumentKey, sealedFileKey } from '../../files/sealing/sealed-form.js';
import { readArchive } from '../../files/tar-archive.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import { looksLikeNote } from '../../stores/memory-bank/note-path.js';
import type { BackupArea } from '../backup/backup-content.js';

const LOGS = 'conversation-logs';
const BANK = 'memory-bank';
/** Insights and deleted notes and insights. */
const OF_BANK = /^(insights\/[^/]*\.json$|\.trash\/)/;
const GRAPH = /^kg_(snapshot|wal)(\.previous)?\.(json|log)$/;
/** A line of the graph that is neither sealed nor a head. */
const PLAIN_FACT = /^[ \t]*\{"(?!format")/m;
export const MARKER_NAME = `${LOGS}/encryption.json`;

/**
 * CONFLICT if the root has another key, or is not encrypted and has plain files of the memory bank, or
 * conversations that are plain or not in the archive.
 */
export async function requireSameEncryption(
  path: string,
  files: readonly { readonly name: string; readonly sha256: string }[],
  areas: readonly BackupArea[],
): Promise<void> {
  const names = files.map(({ name }) => name);
  const logsFolder = areas.find(({ name }) => name === LOGS)?.folder;
  if (logsFolder === undefined || !names.includes(MARKER_NAME)) return;
  const marker = await markerIn(path);
  if (!namesKey(marker)) return;
  const current = await readStored(join(logsFolder, 'encryption.json'));
  if (current !== undefined) {
    if (Buffer.compare(current.bytes, marker) === 0) return;
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
  const bankFolder = areas.find(({ name }) => name === BANK)?.folder;
  if (bankFolder !== undefined && (await hasPlainFile(bankFolder, files))) {
    throw conflict('This backup is encrypted, but the memory bank of this root is not encrypted.');
  }
}

/**
 * Whether a note, an insight, a deleted one, or a fact would stay plain. Files that are the same in the archive do
 * not count: a restore that was interrupted has written them.
 */
async function hasPlainFile(
  bankFolder: string,
  archived: readonly { readonly name: string; readonly sha256: string }[],
): Promise<boolean> {
  const hashes = new Map(archived.map(({ name, sha256 }) => [name, sha256]));
  const isScaffold = (name: string) => /(^|\/)\.(git|locks|gitignore)$/.test(name);
  for await (const { name, path, isPlain: isRegular } of walkFiles(bankFolder, isScaffold)) {
    const isGraph = GRAPH.test(name);
    if (!isRegular || !(isGraph || looksLikeNote(name) || OF_BANK.test(name))) continue;
    const bytes = (await readStored(path))?.bytes;
    if (bytes === undefined || hashes.get(`${BANK}/${name}`) === sha256Hex(bytes)) continue;
    if (isGraph ? PLAIN_FACT.test(bytes.toString('latin1')) : !sealedFileKey(bytes)) return true;
  }
  return false;
}

/** False for a sealed conversation: a restore that was interrupted has written it without the marker. */
async function isPlain(path: string): Promise<boolean> {
  const found = await readStored(path);
  return found !== undefined && sealedDocumentKey(found.bytes) === undefined;
}

/**
 * Whether this is a backup of an encrypted store. It is read up to its first conversation, because reading all
 * of it can take minutes. False if it cannot be read.
 */
export async function isEncryptedBackup(path: string): Promise<boolean> {
  try {
    for await (const { name, bytes } of readArchive(path)) {
      if (name === MARKER_NAME) return namesKey(bytes);
      if (name.endsWith('/conversation.json'))
        return sealedDocumentKey(Buffer.from(bytes)) !== undefined;
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
  return false;
}

/** Without a key it is the marker of a decrypted store, in which some files could not be decrypted. */
const namesKey = (marker: Uint8Array): boolean =>
  !/"key":\s*null/.test(Buffer.from(marker).toString());

async function markerIn(path: string): Promise<Uint8Array> {
  for await (const { name, bytes } of readArchive(path)) if (name === MARKER_NAME) return bytes;
  return new Uint8Array();
}

const conflict = (message: string): AppError =>
  new AppError('CONFLICT', message, {
    hint: 'Nothing was restored. Restore the backup into an empty root (--root FOLDER), or extract it with --to FOLDER.',
  });

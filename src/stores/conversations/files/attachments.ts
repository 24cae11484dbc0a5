/** `attachments/` in the folder of a conversation: files that an import copied there (docs/FORMAT.md). */
import { basename, dirname, join } from 'node:path';
import { sha256Stream } from '../../../base/ids.js';
import { type Durability, makeFolder } from '../../../files/atomic/atomic-write.js';
import { writeNewFile } from '../../../files/atomic/new-file-stream.js';
import { isTemporaryName } from '../../../files/atomic/staging.js';
import { isFolder, isPresent, removeFolder } from '../../../files/paths/folders.js';
import { folderSize } from '../../../files/read/folder-size.js';
import { readStamp } from '../../../files/read/stamp.js';
import { walkFiles } from '../../../files/read/walk-files.js';
import { openHandle } from '../../../files/safe-access/open-regular.js';
import { openFile, sealedFileKey } from '../../../files/sealing/sealed-form.js';
import type { Message } from '../document/schema.js';

/** `folder` is that of a conversation, here and below. */
export const attachmentsIn = (folder: string): string => join(folder, 'attachments');

const isTemporary = (name: string) => isTemporaryName(basename(name));

/** FILESYSTEM_ERROR. */
export const attachmentBytes = async (folder: string): Promise<number> =>
  (await folderSize(attachmentsIn(folder))).sizeBytes;

/**
 * Copies the attachments of a source of a merge, which would be lost when the source is removed from the
 * trash. They are copied as they are stored: encrypted files stay encrypted. If another file has the name
 * already, or a folder has it, the copy is in a folder named by the id of the source, and a number if that is taken
 * too. Files that were copied before are not copied again. Durable when it resolves. STORAGE_FULL, FILESYSTEM_ERROR.
 */
export async function mergeAttachments(
  source: { readonly conversationId: string; readonly folder: string },
  into: string,
  durability: Durability,
): Promise<void> {
  const files = walkFiles(attachmentsIn(source.folder), isTemporary);
  for await (const { name, path, isPlain } of files) {
    if (!isPlain) continue;
    for (const each of namesInMerge(name, source.conversationId)) {
      const target = join(attachmentsIn(into), each);
      if (await isBlocked(target, attachmentsIn(into))) continue;
      if ((await readStamp(target)) === undefined) {
        await makeFolder(dirname(target));
        await writeNewFile(target, contentOf(path), durability);
        break;
      }
      if ((await hashOf(target)) === (await hashOf(path))) break;
    }
  }
}

/** Whether a folder has this name, or a file has the name of a folder in which the target would be. */
async function isBlocked(target: string, top: string): Promise<boolean> {
  if (await isFolder(target)) return true;
  for (let folder = dirname(target); folder !== top; folder = dirname(folder)) {
    if (!(await isFolder(folder)) && (await isPresent(folder))) return true;
  }
  return false;
}

/** The names that the attachment of a source may get, in the order in which they are tried. It never ends. */
function* namesInMerge(name: string, conversationId: string): Generator<string> {
  yield name;
  yield join(conversationId, name);
  for (let number = 2; ; number += 1) yield join(`${conversationId}-${number}`, name);
}

type Text = Pick<Message, 'content'> & { readonly metadata?: Message['metadata'] | undefined };

export interface Attachment {
  /** Relative to `attachments/`, with `/`. */
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
}

/** Returns the attachments of a conversation, without links. FILESYSTEM_ERROR. */
export async function attachmentsOf(folder: string): Promise<Attachment[]> {
  const found: Attachment[] = [];
  for await (const { name, path, isPlain } of walkFiles(attachmentsIn(folder), isTemporary)) {
    if (!isPlain) continue;
    found.push({ name, path, sizeBytes: Number((await readStamp(path))?.size ?? 0) });
  }
  return found;
}

/**
 * Returns the attachments that these messages name. The text has the name that a file had in the export. If
 * not every system allows that name, the file here has `-` in the place of some characters. So only letters
 * and digits are compared. FILESYSTEM_ERROR.
 */
export async function namedAttachments(
  folder: string,
  messages: readonly Text[],
): Promise<Attachment[]> {
  const all = await attachmentsOf(folder);
  if (all.length === 0) return all;
  const text = comparable(
    messages.map((each) => `${each.content} ${metadataText(each)}`).join(' '),
  );
  return all.filter(({ name }) => text.includes(comparable(basename(name))));
}

const metadataText = ({ metadata }: Text) =>
  metadata === undefined ? '' : JSON.stringify(metadata);

const comparable = (text: string) =>
  `-${text.normalize('NFC').replace(/[^\p{L}\p{N}]+/gu, '-')}`.replace(/^-+/, '-');

/**
 * Copies attachments into the folder of another conversation: as they are stored, or with `isPlain` decrypted.
 * Durable when it resolves. STORAGE_FULL, FILESYSTEM_ERROR; with `isPlain` also DECRYPT.
 */
export async function copyAttachmentsTo(
  into: string,
  attachments: readonly Attachment[],
  { isPlain = false, ...durability }: Durability & { readonly isPlain?: boolean },
): Promise<void> {
  for (const { name, path } of attachments) {
    const target = join(attachmentsIn(into), name);
    await makeFolder(dirname(target));
    await writeNewFile(target, isPlain ? plainContentOf(path) : contentOf(path), durability);
  }
}

/** Whether another conversation has all attachments of this one, with the same bytes. FILESYSTEM_ERROR. */
export async function hasSameAttachments(folder: string, other: string): Promise<boolean> {
  for await (const { name, path, isPlain } of walkFiles(attachmentsIn(folder), isTemporary)) {
    const there = join(attachmentsIn(other), name);
    const [own, stamp] = [await readStamp(path), await readStamp(there)];
    if (!isPlain || own === undefined || stamp?.size !== own.size) return false;
    if ((await hashOf(there)) !== (await hashOf(path))) return false;
  }
  return true;
}

/** Removes all attachments of a conversation. FILESYSTEM_ERROR. */
export const removeAttachments = (folder: string): Promise<void> =>
  removeFolder(attachmentsIn(folder));

async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  const handle = await openHandle(path);
  yield* handle.createReadStream();
}

/** A sealed file is decrypted as a whole. */
async function* plainContentOf(path: string): AsyncGenerator<Uint8Array> {
  const sealed: Uint8Array[] = [];
  let isSealed: boolean | undefined;
  for await (const part of contentOf(path)) {
    isSealed ??= sealedFileKey(part) !== undefined; // only its beginning: an archive can have a sealed file inside
    if (isSealed) sealed.push(part);
    else yield part;
  }
  if (isSealed) yield openFile(Buffer.concat(sealed), path);
}

async function hashOf(path: string): Promise<string> {
  const hash = sha256Stream();
  for await (const chunk of contentOf(path)) hash.update(chunk);
  return hash.hex();
}

/** Changes the content of files in an archive and updates its list of contents (docs/FORMAT.md). */
import { dirname } from 'node:path';
import { sha256Hex } from '../base/ids.js';
import { parsedJson } from '../base/json.js';
import { isRecord, objectIn } from '../base/json-fields.js';
import { confirmNames, type Durability, renameOnto } from './atomic/atomic-write.js';
import { stageFile } from './atomic/new-file-stream.js';
import { removeQuietly } from './atomic/staging.js';
import { fileError } from './file-errors.js';
import { type ArchiveFile, archiveOf, readArchive, readArchiveBytes } from './tar-archive.js';

export interface RewriteOptions extends Durability {
  /** The name of the list of contents in the archive. Its sizes and hashes are updated. */
  readonly contentsName: string;
  /** Returns the new content of a file, or `undefined` if it does not change. */
  change(file: ArchiveFile & { readonly bytes: Buffer }): Buffer | undefined;
}

type Changes = Pick<RewriteOptions, 'contentsName' | 'change'>;
type Read = () => AsyncIterable<ArchiveFile>;

/** An archive of old conversations in a backup. */
export const INNER_ARCHIVE = /^archive\/[^/]+\.tar\.gz$/;

/**
 * Replaces the archive as a whole; durable when it resolves. Also changes the files of the archives of old
 * conversations in a backup. Returns false, and writes nothing, if no file changes. CORRUPT, STORAGE_FULL,
 * FILESYSTEM_ERROR, and whatever `change` throws.
 */
export async function rewriteArchive(path: string, options: RewriteOptions): Promise<boolean> {
  const read = () => readArchive(path);
  if (!(await isAnyChanged(read, options))) return false;
  const stage = await stageFile(path, archiveOf(changedFiles(read, options)), options);
  try {
    await renameOnto(stage, path);
  } catch (error) {
    removeQuietly(stage);
    throw fileError(error, 'write', path);
  }
  await confirmNames(dirname(path), `${path} was replaced`, options);
  return true;
}

/** Like `readArchive`, and after each archive of old conversations also the files in it. */
export async function* readArchiveDeeply(path: string): AsyncGenerator<ArchiveFile> {
  for await (const file of readArchive(path)) {
    yield file;
    if (INNER_ARCHIVE.test(file.name)) yield* readArchiveBytes(file.bytes, file.name);
  }
}

async function isAnyChanged(read: Read, changes: Changes): Promise<boolean> {
  for await (const file of read()) {
    const isContents = file.name === changes.contentsName;
    if (!isContents && (await changedBytes(file, changes)) !== undefined) return true;
  }
  return false;
}

async function changedBytes(file: ArchiveFile, changes: Changes): Promise<Buffer | undefined> {
  const { name, bytes } = file;
  if (!INNER_ARCHIVE.test(name)) return changes.change({ ...file, bytes: Buffer.from(bytes) });
  const read = () => readArchiveBytes(bytes, name);
  if (!(await isAnyChanged(read, changes))) return undefined;
  const parts: Uint8Array[] = [];
  for await (const part of archiveOf(changedFiles(read, changes))) parts.push(part);
  return Buffer.concat(parts);
}

async function* changedFiles(read: Read, changes: Changes): AsyncGenerator<ArchiveFile> {
  const changed = new Map<string, { sizeBytes: number; sha256: string }>();
  for await (const file of read()) {
    if (file.name === changes.contentsName) {
      yield { ...file, bytes: contentsWith(file.bytes, changed) };
      continue;
    }
    const bytes = await changedBytes(file, changes);
    if (bytes !== undefined) {
      changed.set(file.name, { sizeBytes: bytes.byteLength, sha256: sha256Hex(bytes) });
    }
    yield { ...file, bytes: bytes ?? file.bytes };
  }
}

/**
 * Returns the list of contents with the new sizes and hashes. A damaged list stays as it is, so that it is
 * still reported, and the files of the archive are changed all the same.
 */
function contentsWith(
  bytes: Uint8Array,
  changed: ReadonlyMap<string, { sizeBytes: number; sha256: string }>,
): Uint8Array {
  const contents = parsedJson(new TextDecoder().decode(bytes)); // without a byte-order mark
  const files = objectIn(contents)['files'];
  if (!Array.isArray(files) || !files.every(isRecord)) return bytes;
  const changedFiles = files.map((file) => ({ ...file, ...changed.get(file['name'] as string) }));
  try {
    const text = JSON.stringify({ ...objectIn(contents), files: changedFiles }, null, 1);
    return Buffer.from(`${text}\n`);
  } catch (error) {
    if (error instanceof RangeError) return bytes; // it is nested too deeply to be written again
    throw error;
  }
}

/** Changes the content of files in an archive and updates its list of contents (docs/FORMAT.md). */
import { dirname } from 'node:path';
import { sha256Hex } from '../base/ids.js';
import { type ArchiveFile, archiveOf, readArchive } from './archive.js';
import { type Durability, renameOnto, syncFolder } from './atomic/atomic-write.js';
import { stageFile } from './atomic/new-file.js';

export interface RewriteOptions extends Durability {
  /** The name of the list of contents in the archive. Its sizes and hashes are updated. */
  readonly contentsName: string;
  /** Returns the new content of a file, or `undefined` if it does not change. */
  change(file: ArchiveFile & { readonly bytes: Buffer }): Buffer | undefined;
}

/**
 * Replaces the archive as a whole; durable when it resolves. Returns false, and writes nothing, if no file
 * changes. CORRUPT, STORAGE_FULL, FILESYSTEM_ERROR, and whatever `change` throws.
 */
export async function rewriteArchive(path: string, options: RewriteOptions): Promise<boolean> {
  if (!(await isAnyChanged(path, options))) return false;
  const stage = await stageFile(path, archiveOf(filesOf(path, options)), options);
  await renameOnto(stage, path);
  await syncFolder(dirname(path), options);
  return true;
}

async function isAnyChanged(
  path: string,
  { contentsName, change }: RewriteOptions,
): Promise<boolean> {
  for await (const file of readArchive(path)) {
    if (file.name !== contentsName && change(withBuffer(file)) !== undefined) return true;
  }
  return false;
}

async function* filesOf(path: string, { contentsName, change }: RewriteOptions) {
  const changed = new Map<string, { sizeBytes: number; sha256: string }>();
  for await (const file of readArchive(path)) {
    if (file.name === contentsName) {
      yield { ...file, bytes: contentsWith(file.bytes, changed) };
      continue;
    }
    const bytes = change(withBuffer(file));
    if (bytes !== undefined) {
      changed.set(file.name, { sizeBytes: bytes.byteLength, sha256: sha256Hex(bytes) });
    }
    yield { ...file, bytes: bytes ?? file.bytes };
  }
}

const withBuffer = (file: ArchiveFile) => ({ ...file, bytes: Buffer.from(file.bytes) });

function contentsWith(
  bytes: Uint8Array,
  changed: ReadonlyMap<string, { sizeBytes: number; sha256: string }>,
): Buffer {
  const contents = JSON.parse(Buffer.from(bytes).toString()) as { files: { name: string }[] };
  const files = contents.files.map((file) => ({ ...file, ...changed.get(file.name) }));
  return Buffer.from(`${JSON.stringify({ ...contents, files }, null, 1)}\n`);
}

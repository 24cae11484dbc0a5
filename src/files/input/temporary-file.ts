/**
 * Stores a file in a private folder below the system's temporary folder, until it is removed: an uploaded
 * file that is read once, the copy of a file for the user's editor, the copy of another program's database.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeNewFile } from '../atomic/new-file-stream.js';
import { withFileError } from '../file-errors.js';
import { resolveRealPath } from '../safe-access/real-path.js';

export interface TemporaryFile {
  /** Absolute, without links. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Removes the file and its folder. */
  remove(): Promise<void>;
}

/** Not durable. STORAGE_FULL, FILESYSTEM_ERROR, and what `chunks` throws; then it is removed. */
export async function writeTemporaryFile(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<TemporaryFile> {
  const folder = await withFileError('create', tmpdir(), () =>
    mkdtemp(join(resolveRealPath(tmpdir()), 'daybook-')),
  );
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const path = join(folder, name);
    return { path, sizeBytes: await writeNewFile(path, chunks, { fsync: false }), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

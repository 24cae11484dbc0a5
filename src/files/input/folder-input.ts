/** Reads a folder as an import input: every regular file below it, sorted by name. Links are not followed. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError } from '../../base/errors.js';
import { ABSENT, ignoreErrno, withFileError } from '../file-errors.js';
import { type Input, type InputFile, isIgnored, type RefusedFile } from './input-types.js';
import { regularBytes } from './regular-file.js';

/** A folder with more files is not an export: the user probably gave the root of a disk. */
const MAX_FILES = 500_000;
/** Deeper folders are a loop of mounts, or an attack. */
const MAX_DEPTH = 24;

/**
 * `path`: as the user gave it; `real`: absolute, without links. FILESYSTEM_ERROR if it cannot be listed,
 * TOO_LARGE.
 */
export async function folderInput(path: string, real: string): Promise<Input> {
  const files: InputFile[] = [];
  const refused: RefusedFile[] = [];
  await collect(real, '', 0, { files, refused });
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { path, form: 'folder', files, refused, close: async () => undefined };
}

interface Found {
  readonly files: InputFile[];
  readonly refused: RefusedFile[];
}

async function collect(folder: string, prefix: string, depth: number, found: Found) {
  if (depth > MAX_DEPTH) {
    found.refused.push({ name: prefix, reason: `is more than ${MAX_DEPTH} folders deep` });
    return;
  }
  const entries = await withFileError('list', folder, () =>
    ignoreErrno(ABSENT, readdir(folder, { withFileTypes: true })),
  );
  for (const entry of entries ?? []) {
    const name = `${prefix}${entry.name}`;
    if (isIgnored(entry.isDirectory() ? `${name}/` : name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      await collectInner(path, name, depth + 1, found);
    } else if (entry.isFile()) {
      const file = await fileAt(path, name);
      if (file !== undefined) found.files.push(file);
    } else {
      const reason = entry.isSymbolicLink() ? 'is a link' : 'is not a regular file';
      found.refused.push({ name, reason });
    }
    if (found.files.length > MAX_FILES) {
      throw new AppError('TOO_LARGE', `${folder} has more than ${MAX_FILES} files.`, {
        hint: 'Give the folder of the export, not a folder above it.',
      });
    }
  }
}

/** A folder that cannot be listed is refused, so that the others are read. */
async function collectInner(path: string, name: string, depth: number, found: Found) {
  try {
    await collect(path, `${name}/`, depth, found);
  } catch (error) {
    if (!isAppError(error, 'FILESYSTEM_ERROR')) throw error;
    const reason = `could not be listed (${error.details?.['errno']})`;
    found.refused.push({ name, reason, code: 'FILESYSTEM_ERROR' });
  }
}

async function fileAt(path: string, name: string): Promise<InputFile | undefined> {
  const stats = await withFileError('inspect', path, () => ignoreErrno(['ENOENT'], lstat(path)));
  if (!stats?.isFile()) return undefined;
  const { size: sizeBytes, mtimeMs: modifiedAtMs } = stats;
  return { name, sizeBytes, modifiedAtMs, diskPath: path, bytes: () => regularBytes(path) };
}

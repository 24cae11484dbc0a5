/** A folder as an input: every regular file below it, in the order of the names. Links are not followed. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../base/errors.js';
import { ignoreErrno, withFileError } from '../read/file-errors.js';
import type { Input, InputFile, RefusedFile } from './input-types.js';
import { regularBytes } from './regular-file.js';

/** More is no folder of exports: the user named the root of a disk. */
const MOST_FILES = 500_000;
/** A deeper folder is a loop of mounts, or hostile. */
const DEEPEST = 24;
/** Never part of an export, and often huge. */
const PASSED_OVER = new Set(['node_modules', '.git', '.trash', '.locks']);

/** `real`: an absolute path without links. FILESYSTEM_ERROR, TOO_LARGE. */
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
  if (depth > DEEPEST) {
    found.refused.push({ name: prefix, reason: `is more than ${DEEPEST} folders deep` });
    return;
  }
  const entries = await withFileError('list', folder, () =>
    ignoreErrno(['ENOENT', 'ENOTDIR'], readdir(folder, { withFileTypes: true })),
  );
  for (const entry of entries ?? []) {
    const name = `${prefix}${entry.name}`;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!PASSED_OVER.has(entry.name)) await collect(path, `${name}/`, depth + 1, found);
    } else if (entry.isFile()) {
      const file = await fileAt(path, name);
      if (file !== undefined) found.files.push(file);
    } else {
      const reason = entry.isSymbolicLink() ? 'is a link' : 'is not a regular file';
      found.refused.push({ name, reason });
    }
    if (found.files.length > MOST_FILES) {
      throw new AppError('TOO_LARGE', `${folder} has more than ${MOST_FILES} files.`, {
        hint: 'Give the folder of the export, not a folder above it.',
      });
    }
  }
}

async function fileAt(path: string, name: string): Promise<InputFile | undefined> {
  const stats = await withFileError('inspect', path, () => ignoreErrno(['ENOENT'], lstat(path)));
  if (!stats?.isFile()) return undefined;
  const { size: sizeBytes, mtimeMs: modifiedAtMs } = stats;
  return { name, sizeBytes, modifiedAtMs, diskPath: path, bytes: () => regularBytes(path) };
}

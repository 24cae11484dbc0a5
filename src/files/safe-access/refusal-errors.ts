/**
 * The errors for entries that Daybook does not open: links, pipes, devices, and files with hard links in
 * other folders. Each error contains the path.
 */
import type { BigIntStats, Stats } from 'node:fs';
import { AppError } from '../../base/errors.js';

/** A part of `path` is a symbolic link. */
export function symlinkError(path: string): AppError {
  return new AppError('PATH_ESCAPE', `${path} is a link, or is reached through a link.`, {
    hint: 'Daybook does not follow links below its folders. Replace the link by the file or folder itself. To store a folder in another place, set its path in the settings (docs/SECURITY.md).',
    details: { path },
  });
}

/** The file has another name in another folder, so a write would also change that file. */
export function hardLinkError(path: string): AppError {
  return new AppError('PATH_ESCAPE', `${path} has other names (hard links) in other folders.`, {
    hint: 'Nothing was written. Make a copy of the file, then replace the file by the copy.',
    details: { path },
  });
}

type Kind = Pick<
  Stats | BigIntStats,
  'isDirectory' | 'isFIFO' | 'isSocket' | 'isSymbolicLink' | 'isFile'
>;

/** The entry is not a regular file. */
export function notRegularFileError(path: string, kind: Kind): AppError {
  if (kind.isSymbolicLink()) return symlinkError(path);
  return new AppError('FILESYSTEM_ERROR', `${path} is a ${kindOf(kind)}, not a file.`, {
    hint: 'Move it to another place. Daybook opens only regular files.',
    details: { path, kind: kindOf(kind), ...(kind.isDirectory() && { errno: 'EISDIR' }) },
  });
}

/** The entry is not a folder. */
export function notAFolderError(path: string, kind: Kind): AppError {
  if (kind.isSymbolicLink()) return symlinkError(path);
  return new AppError('FILESYSTEM_ERROR', `${path} is a ${kindOf(kind)}, not a folder.`, {
    hint: 'Move it to another place. Daybook needs a folder with this name.',
    details: { path },
  });
}

/** What an entry is that is not a link. */
export type EntryKind = 'file' | 'folder' | 'pipe' | 'socket' | 'device';

export function kindOf(entry: Omit<Kind, 'isSymbolicLink'>): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isFIFO()) return 'pipe';
  return entry.isSocket() ? 'socket' : 'device';
}

/**
 * Opens the input of an import: one file, a folder or a zip archive, each as a list of files with relative
 * names. Links, devices and names that lead out of the input are refused and listed, so that nothing
 * outside the given path is read. Nothing is unpacked to the disk.
 */
import { lstat, realpath } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { AppError } from '../../base/errors.js';
import { ignoreErrno, withFileError } from '../file-errors.js';
import { symlinkError } from '../safe-access/refusal-errors.js';
import { folderInput } from './folder-input.js';
import type { Input, InputFile } from './input-types.js';
import { regularBytes } from './regular-file.js';
import { isZip, zipInput } from './zip-input.js';

/**
 * `path` itself may be a link, unless `followsLinks` is false; links below it are refused.
 * FILESYSTEM_ERROR if there is no such file, PATH_ESCAPE for a refused link, a device and an archive with
 * names that lead out of it, TOO_LARGE for a zip bomb and for too many files, CORRUPT for a damaged archive.
 */
export async function openInput(
  path: string,
  { followsLinks = true }: { readonly followsLinks?: boolean } = {},
): Promise<Input> {
  const real = await withFileError('find', path, () => realpath(path));
  if (!followsLinks && real !== path) throw symlinkError(path);
  const found = await withFileError('inspect', path, () => ignoreErrno(['ENOENT'], lstat(real)));
  if (found?.isDirectory()) return folderInput(path, real);
  if (!found?.isFile()) {
    throw new AppError('PATH_ESCAPE', `${path} is neither a file nor a folder.`, {
      hint: 'Give the path of a file, a zip archive or a folder.',
      details: { path },
    });
  }
  if (await isZip(real)) return zipInput(path, real);
  const file: InputFile = {
    name: basename(real),
    sizeBytes: found.size,
    modifiedAtMs: found.mtimeMs,
    diskPath: real,
    bytes: () => regularBytes(real),
  };
  return { path, form: 'file', files: [file], refused: [], close: async () => undefined };
}

/** Returns the path without links; `undefined` if it is not absolute, or does not exist or cannot be read. */
export async function realInputPath(path: string): Promise<string | undefined> {
  if (!isAbsolute(path) || path.includes('\0')) return undefined;
  return ignoreErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'], realpath(path));
}

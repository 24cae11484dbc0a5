/** The exports folder, which tools write and read. It is private and ignored by git. */
import { dirname } from 'node:path';
import { AppError } from '../base/errors.js';
import { type Durability, makeFolder } from '../files/atomic/atomic-write.js';
import { readConfined } from '../files/paths/confined-file.js';
import { keepOutOfGit } from '../files/paths/git-ignore.js';
import { confinedPath, confinedRealPath } from '../files/paths/path-confinement.js';
import { MAX_DOCUMENT_BYTES } from '../files/read/whole-file.js';

/** Returns the absolute path for a new file, whose folder exists when it resolves. Throws PATH_ESCAPE. */
export async function exportPath(
  folder: string,
  name: string,
  durability: Durability,
): Promise<string> {
  confinedPath(folder, name);
  if (/(^|\/)\./.test(name)) {
    throw new AppError(
      'PATH_ESCAPE',
      'The name of an exported file or folder cannot begin with a dot.',
      {
        hint: 'Choose another name. Programs read settings from files and folders whose names begin with a dot.',
      },
    );
  }
  await makeFolder(folder);
  await keepOutOfGit(folder, durability);
  const path = await confinedRealPath(folder, name);
  await makeFolder(dirname(path));
  return path;
}

/** PATH_ESCAPE, TOO_LARGE, or VALIDATION_ERROR (there is no such file, or it is not text). */
export async function readExportFile(folder: string, name: string): Promise<string> {
  const found = await readConfined(folder, name, MAX_DOCUMENT_BYTES);
  if (found === undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      `There is no file ${JSON.stringify(name)} in ${folder}.`,
      {
        hint: 'Put the file into that folder, or give its content as `text`.',
      },
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(found.bytes);
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', `${JSON.stringify(name)} is not UTF-8 text.`, { cause });
  }
}

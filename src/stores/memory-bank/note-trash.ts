/**
 * Deleted notes: `.trash/<path with the time of the deletion>`, excluded from git. Before a
 * note is deleted permanently, it is moved here too. Then Daybook can see whether an editor saved another
 * version meanwhile.
 */
import { join } from 'node:path';
import { AppError } from '../../base/errors.js';
import { readWhole } from '../../files/read/whole-file.js';
import { TrashFolder, type TrashOptions } from '../../files/trash/trash-folder.js';
import { parseTrashName } from '../../files/trash/trash-names.js';
import { problemWithNotePath, requireNotePath } from './note-path.js';
import { hashOf } from './note-text.js';

export class NoteTrash extends TrashFolder {
  readonly #folder: string;

  /** `folder`: the absolute path of the memory bank. */
  constructor({ folder: bank, ...shared }: Pick<TrashOptions, 'folder' | 'durability' | 'clock'>) {
    const folder = join(bank, '.trash');
    super({ ...shared, folder, holds: 'files', originalOf: pathOfTrashed });
    this.#folder = folder;
  }

  /** Returns the hash of the note with this name in the trash; `undefined` if it does not exist. */
  async hashOf(name: string): Promise<string | undefined> {
    const found = await readWhole(this.pathOf(name));
    return found && hashOf(found.bytes);
  }

  /** Removes a note permanently that was just moved from `path`. If that fails, it gets its path again. */
  async removeOrMoveBack(name: string, path: string): Promise<void> {
    try {
      await this.remove(name);
    } catch (error) {
      await this.moveOut(name, path);
      throw error;
    }
  }

  /**
   * Finds a note by its name in the trash or, for a path, the note that was deleted last. Returns its name in
   * the trash and its original path. E_MB_FILE_NOT_FOUND, PATH_ESCAPE.
   */
  async require(nameOrPath: string): Promise<{ name: string; path: string }> {
    requireNotePath(nameOrPath);
    const found = await this.find(nameOrPath);
    if (found !== undefined) return { name: found.name, path: found.original };
    throw new AppError(
      'E_MB_FILE_NOT_FOUND',
      `The trash has no note ${JSON.stringify(nameOrPath)}.`,
      {
        hint: `Deleted notes are in ${this.#folder}.`,
        details: { path: nameOrPath },
      },
    );
  }
}

/** Returns the original path; `undefined` if it is not a valid path of a note. */
function pathOfTrashed(name: string): string | undefined {
  const { path } = parseTrashName(name);
  return problemWithNotePath(path) === undefined ? path : undefined;
}

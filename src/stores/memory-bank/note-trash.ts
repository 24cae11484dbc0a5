/**
 * Deleted notes: `.trash/<path with the time of the deletion>`, kept out of git. A note that is deleted
 * permanently passes through the trash too, so that a version that an editor saves meanwhile is noticed.
 */
import { join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import type { Durability } from '../../files/atomic/atomic-write.js';
import { readWhole } from '../../files/read/json-doc.js';
import { TrashFolder } from '../../files/trash/trash-folder.js';
import { parseTrashName } from '../../files/trash/trash-names.js';
import { problemWithNotePath, requireNotePath } from './note-path.js';
import { hashOf } from './note-text.js';

export interface NoteTrashOptions {
  /** Of the memory bank. */
  readonly folder: string;
  readonly durability: Durability;
  readonly clock: Clock;
}

export class NoteTrash extends TrashFolder {
  readonly #folder: string;

  constructor({ folder: bank, durability, clock }: NoteTrashOptions) {
    const folder = join(bank, '.trash');
    super({ folder, durability, clock, holds: 'files', originalOf: pathOfTrashed });
    this.#folder = folder;
  }

  /** The hash of what is in the trash under that name; `undefined` if it is gone. */
  async hashOf(name: string): Promise<string | undefined> {
    const found = await readWhole(this.pathOf(name));
    return found && hashOf(found.bytes);
  }

  /**
   * Name and path of a name in the trash, or of the note that was last deleted at a path.
   * E_MB_FILE_NOT_FOUND, PATH_ESCAPE.
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

/** `undefined` for what cannot be a note by its path. */
function pathOfTrashed(name: string): string | undefined {
  const { path } = parseTrashName(name);
  return problemWithNotePath(path) === undefined ? path : undefined;
}

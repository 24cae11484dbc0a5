/**
 * Deleted notes: `.trash/<UTC time of deletion>/<path of the note>`, each moved there by one rename,
 * and kept out of git. The place is the record of what it was and when it went. What is deleted for
 * good passes through here; nothing else is ever removed.
 */
import { dirname, join } from 'node:path';
import { type Clock, isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { type Durability, makeFolder } from '../../files/atomic-write.js';
import { findConfined } from '../../files/confined-file.js';
import {
  claimFolder,
  listFolders,
  moveFolder,
  removeEmptyFolder,
  removeFile,
} from '../../files/folders.js';
import { readWhole } from '../../files/json-doc.js';
import { renameFile } from '../../files/new-file.js';
import { requireNotePath } from './note-path.js';
import { hashOf } from './note-text.js';

const TIME = /^\d{8}T\d{9}Z$/;

export interface NoteTrashOptions {
  /** Of the memory bank. */
  readonly folder: string;
  readonly durability: Durability;
  readonly clock: Clock;
}

export class NoteTrash {
  readonly #options: NoteTrashOptions;
  readonly #folder: string;

  constructor(options: NoteTrashOptions) {
    this.#options = options;
    this.#folder = join(options.folder, '.trash');
  }

  /** Absolute path of what is in the trash under that name. */
  pathOf(name: string): string {
    return join(this.#folder, ...name.split('/'));
  }

  /** Under the notes' lock. The name to restore it by; `undefined` where there is no such note any more. */
  async moveIn(path: string): Promise<string | undefined> {
    const { folder, durability } = this.#options;
    await makeFolder(this.#folder, durability);
    const name = `${await this.#claimTime()}/${path}`;
    await makeFolder(dirname(this.pathOf(name)), durability);
    const outcome = await moveFolder(join(folder, path), this.pathOf(name), durability);
    if (outcome === 'moved') return name;
    await this.#removeEmpty(name);
    return undefined;
  }

  /** Of what is in the trash under that name; `undefined` where it is gone. */
  async hashOf(name: string): Promise<string | undefined> {
    const found = await readWhole(this.pathOf(name));
    return found && hashOf(found.bytes);
  }

  /** Takes it out of the trash for good. */
  async remove(name: string): Promise<void> {
    await removeFile(this.pathOf(name));
    await this.#removeEmpty(name);
  }

  /**
   * Under the notes' lock: the last deleted of that path, or the one of that name, goes back to where
   * it was. The path. E_MB_FILE_NOT_FOUND: not in the trash; ALREADY_EXISTS.
   */
  async moveBack(name: string, path: string): Promise<void> {
    const { folder, durability } = this.#options;
    const target = join(folder, path);
    await makeFolder(dirname(target), durability);
    await renameFile(this.pathOf(name), target, durability);
    await this.#removeEmpty(name);
  }

  /** Name and path behind a name in the trash or the path of a note. E_MB_FILE_NOT_FOUND, PATH_ESCAPE. */
  async find(nameOrPath: string): Promise<{ name: string; path: string }> {
    const slash = nameOrPath.indexOf('/');
    const first = nameOrPath.slice(0, Math.max(0, slash));
    const isName = TIME.test(first);
    const path = isName ? nameOrPath.slice(slash + 1) : nameOrPath;
    requireNotePath(path);
    const times = isName ? [first] : (await listFolders(this.#folder)).sort().reverse();
    for (const time of times) {
      if (!TIME.test(time)) continue;
      const found = await findConfined(join(this.#folder, time), path);
      if (found.kind === 'file') return { name: `${time}/${path}`, path };
    }
    throw new AppError('E_MB_FILE_NOT_FOUND', `${nameOrPath} is not in the trash of the notes.`, {
      hint: `What was deleted is in ${this.#folder}.`,
      details: { path: nameOrPath },
    });
  }

  async #claimTime(): Promise<string> {
    for (let ms = this.#options.clock.now(); ; ms += 1) {
      const time = isoTime(ms).replace(/[-:.]/g, '');
      if (await claimFolder(join(this.#folder, time))) return time;
    }
  }

  #removeEmpty(name: string): Promise<void> {
    return removeEmptyParents(this.pathOf(name), this.#folder);
  }
}

/** Removes the folders above `path`, up to `folder`, that hold nothing any more: git knows none either. */
export async function removeEmptyParents(path: string, folder: string): Promise<void> {
  for (let parent = dirname(path); parent !== folder; parent = dirname(parent)) {
    if (!(await removeEmptyFolder(parent))) return;
  }
}

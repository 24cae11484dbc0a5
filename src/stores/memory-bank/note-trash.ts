/**
 * Deleted notes: `.trash/<UTC time of deletion>/<path of the note>`, each moved there by one rename,
 * and kept out of git. Its path in the trash records what it was and when it was deleted. A note that
 * is deleted permanently passes through the trash; only `remove` removes anything permanently.
 */
import { dirname, join } from 'node:path';
import { type Clock, compactTime, isoOfCompact } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { type Durability, makeFolder } from '../../files/atomic/atomic-write.js';
import { renameFile } from '../../files/atomic/new-file.js';
import { findConfined } from '../../files/paths/confined-file.js';
import {
  claimFolder,
  listFolders,
  moveFolder,
  removeEmptyFolder,
  removeFile,
} from '../../files/paths/folders.js';
import { readWhole } from '../../files/read/json-doc.js';
import { listFiles } from '../../files/read/list-files.js';
import { readStampNow } from '../../files/read/stamp.js';
import { problemWithNotePath, requireNotePath } from './note-path.js';
import { hashOf } from './note-text.js';

const never = () => false;
const TIME = /^\d{8}T\d{9}Z$/;

export interface TrashedNote {
  /** `<UTC time of deletion>/<path>`. */
  readonly name: string;
  readonly path: string;
  readonly deletedAt?: string;
  readonly sizeBytes: number;
}

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

  /** Under the notes' lock. Returns the name to restore it by; `undefined` if the note is gone. */
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

  /** In no order. Links and what is no note by its path are left out. */
  async list(): Promise<TrashedNote[]> {
    const found: TrashedNote[] = [];
    for (const time of await listFolders(this.#folder)) {
      if (!TIME.test(time)) continue;
      const deletedAt = isoOfCompact(time);
      for await (const { name: path, path: file, isPlain } of listFiles(this.pathOf(time), never)) {
        if (!isPlain || problemWithNotePath(path) !== undefined) continue;
        const sizeBytes = Number(readStampNow(file)?.size ?? 0);
        found.push({ name: `${time}/${path}`, path, ...(deletedAt && { deletedAt }), sizeBytes });
      }
    }
    return found;
  }

  /** The hash of what is in the trash under that name; `undefined` if it is gone. */
  async hashOf(name: string): Promise<string | undefined> {
    const found = await readWhole(this.pathOf(name));
    return found && hashOf(found.bytes);
  }

  /** Removes it from the trash permanently. */
  async remove(name: string): Promise<void> {
    await removeFile(this.pathOf(name));
    await this.#removeEmpty(name);
  }

  /** Under the notes' lock. Moves what `find` found back to its path. ALREADY_EXISTS. */
  async moveBack(name: string, path: string): Promise<void> {
    const { folder, durability } = this.#options;
    const target = join(folder, path);
    await makeFolder(dirname(target), durability);
    await renameFile(this.pathOf(name), target, durability);
    await this.#removeEmpty(name);
  }

  /** Name and path of a name in the trash, or of the note that was last deleted at a path. E_MB_FILE_NOT_FOUND, PATH_ESCAPE. */
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
      const time = compactTime(ms);
      if (await claimFolder(join(this.#folder, time))) return time;
    }
  }

  #removeEmpty(name: string): Promise<void> {
    return removeEmptyParents(this.pathOf(name), this.#folder);
  }
}

/** Removes the folders above `path`, up to `folder`, that are empty now. Git keeps no empty folders either. */
export async function removeEmptyParents(path: string, folder: string): Promise<void> {
  for (let parent = dirname(path); parent !== folder; parent = dirname(parent)) {
    if (!(await removeEmptyFolder(parent))) return;
  }
}

/**
 * The trash of a store (conversations, notes, insights). An entry (a file, or a folder with its content) is
 * moved here by one rename. Its name contains its original path and the time of its deletion
 * (trash-names.ts), so that no crash can separate them. The caller holds the lock of the moved entry. Only
 * `remove` and `removeUnlisted` remove anything permanently.
 */
import { dirname, join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { isAppError, withHint } from '../../base/errors.js';
import { randomHex } from '../../base/ids.js';
import { type Durability, makeFolder } from '../atomic/atomic-write.js';
import { renameFile } from '../atomic/rename-file.js';
import {
  claimFolder,
  listFolders,
  moveByRename,
  removeEmptyFolder,
  removeEmptyParents,
  removeFile,
  removeFolder,
} from '../paths/folders.js';
import { folderSize } from '../read/folder-size.js';
import { readStamp } from '../read/stamp.js';
import { walkFiles } from '../read/walk-files.js';
import { parseTrashName, trashNameOf } from './trash-names.js';

/** The prefix of folders that are being removed. They are never listed. */
export const PENDING_REMOVAL = '.tmp-';

export interface TrashEntry {
  /** The path in the trash, with `/`. */
  readonly name: string;
  /** The id of the deleted conversation or insight, or the path of the deleted note. */
  readonly original: string;
  /** ISO 8601; absent if a person moved the entry here. */
  readonly deletedAt?: string;
  /** The size of all its files. */
  readonly sizeBytes: number;
}

export interface TrashOptions {
  /** The absolute path; created when something is moved in. */
  readonly folder: string;
  readonly durability: Durability;
  readonly clock: Clock;
  readonly holds: 'files' | 'folders';
  /** Returns the `original` of the entry with this name; `undefined` if the name is not one of an entry. */
  readonly originalOf: (name: string) => string | undefined;
}

type NamedEntry = Omit<TrashEntry, 'sizeBytes'>;

export class TrashFolder {
  readonly #options: TrashOptions;

  constructor(options: TrashOptions) {
    this.#options = options;
  }

  /** Returns the absolute path of the entry with this name. */
  pathOf(name: string): string {
    return join(this.#options.folder, ...name.split('/'));
  }

  /**
   * Moves the file or folder at `from` to the trash. Its name there contains `path`. Durable when it
   * resolves. Returns the name; `undefined` if `from` does not exist. FILESYSTEM_ERROR.
   */
  async moveIn(from: string, path: string): Promise<string | undefined> {
    const { durability, clock } = this.#options;
    for (let ms = clock.now(); ; ms += 1) {
      const name = trashNameOf(path, ms);
      const to = this.pathOf(name);
      await makeFolder(dirname(to), durability);
      // A rename would replace a file.
      if ((await readStamp(to)) !== undefined) continue;
      const outcome = await moveByRename(from, to, durability);
      if (outcome === 'moved') return name;
      if (outcome === 'taken') continue;
      await this.#removeEmptyParents(name);
      return undefined;
    }
  }

  /**
   * Moves the entry to `to`. Durable when it resolves. Returns `taken` if `to` exists, `absent` if the entry
   * does not exist. `prepare` is called when no other process can create `to` any more; only for folders.
   */
  async moveOut(
    name: string,
    to: string,
    prepare?: () => Promise<void>,
  ): Promise<'moved' | 'taken' | 'absent'> {
    const { durability, holds } = this.#options;
    const from = this.pathOf(name);
    if (holds === 'folders') {
      if (!(await claimAgain(to))) return 'taken';
      try {
        await prepare?.();
        return await moveByRename(from, to, durability);
      } finally {
        await removeEmptyFolder(to);
      }
    }
    if ((await readStamp(from)) === undefined) return 'absent';
    await makeFolder(dirname(to), durability);
    try {
      await renameFile(from, to, durability);
    } catch (error) {
      if (isAppError(error, 'ALREADY_EXISTS')) return 'taken';
      throw error;
    }
    await this.#removeEmptyParents(name);
    return 'moved';
  }

  /** Returns all entries, the last deleted first. Links are left out. FILESYSTEM_ERROR. */
  async list(): Promise<TrashEntry[]> {
    const listed: TrashEntry[] = [];
    // One by one: all at once would need a file handle for each entry.
    for (const entry of await this.#entries()) {
      listed.push({ ...entry, sizeBytes: await this.#sizeOf(entry.name) });
    }
    return listed;
  }

  /** The number of originals that have an entry. Reads only names. FILESYSTEM_ERROR. */
  async count(): Promise<number> {
    return new Set((await this.#entries()).map(({ original }) => original)).size;
  }

  /**
   * Returns the entry with this name, or the last deleted entry with this `original`, which may have another
   * Unicode form. FILESYSTEM_ERROR.
   */
  async find(nameOrOriginal: string): Promise<NamedEntry | undefined> {
    const entries = await this.#entries();
    return (
      entries.find(({ name }) => name === nameOrOriginal) ??
      entries.find(({ original }) => original === nameOrOriginal) ??
      entries.find(({ original }) => original.normalize() === nameOrOriginal.normalize())
    );
  }

  /** Durable when it resolves. Returns false if it does not exist. FILESYSTEM_ERROR. */
  async remove(name: string): Promise<boolean> {
    const path = this.pathOf(name);
    if (this.#options.holds === 'folders') return this.removeUnlisted(path);
    if ((await readStamp(path)) === undefined) return false;
    await removeFile(path, this.#options.durability);
    await this.#removeEmptyParents(name);
    return true;
  }

  /**
   * Removes a folder of the store permanently. Returns false if it does not exist. It is renamed first, so
   * that no reader finds a part of it, and is not listed in the trash.
   */
  async removeUnlisted(folder: string): Promise<boolean> {
    await makeFolder(this.#options.folder);
    const pending = this.pathOf(`${PENDING_REMOVAL}${randomHex(8)}`);
    try {
      const outcome = await moveByRename(folder, pending, this.#options.durability);
      if (outcome === 'absent') return false;
    } catch (error) {
      if (isAppError(error) && error.details?.['unconfirmed'] === true) await removeRest(pending);
      throw error;
    }
    await removeRest(pending);
    return true;
  }

  /** Finishes removals of folders that were interrupted. FILESYSTEM_ERROR. */
  async tidy(): Promise<void> {
    for (const name of await listFolders(this.#options.folder)) {
      if (name.startsWith(PENDING_REMOVAL)) await removeFolder(this.pathOf(name));
    }
  }

  /** Returns the last deleted entry first; entries without a time come last. */
  async #entries(): Promise<NamedEntry[]> {
    const entries: NamedEntry[] = [];
    for (const name of await this.#names()) {
      const original = this.#options.originalOf(name);
      if (original === undefined) continue;
      const { deletedAt } = parseTrashName(name);
      entries.push({ name, original, ...(deletedAt !== undefined && { deletedAt }) });
    }
    const key = ({ deletedAt = '', name }: NamedEntry) => `${deletedAt} ${name}`;
    return entries.sort((a, b) => (key(a) < key(b) ? 1 : -1));
  }

  async #names(): Promise<string[]> {
    const { folder, holds } = this.#options;
    if (holds === 'folders') return listFolders(folder);
    const names: string[] = [];
    for await (const { name, isPlain } of walkFiles(folder, isHidden)) {
      if (isPlain) names.push(name);
    }
    return names;
  }

  async #sizeOf(name: string): Promise<number> {
    const path = this.pathOf(name);
    if (this.#options.holds === 'folders') return (await folderSize(path)).sizeBytes;
    return Number((await readStamp(path))?.size ?? 0);
  }

  #removeEmptyParents(name: string): Promise<void> {
    return removeEmptyParents(this.pathOf(name), this.#options.folder);
  }
}

const isHidden = (name: string) => /(^|\/)\.[^/]*$/.test(name);

/** Removes a folder that is not listed any more. */
async function removeRest(pending: string): Promise<void> {
  await removeFolder(pending).catch((error: unknown) => {
    if (!isAppError(error)) throw error;
    throw withHint(
      error,
      'It is not listed any more, but files of it are left. Remove them with daybook doctor --repair; the next server also removes them when it starts.',
    );
  });
}

/** An empty folder belongs to an ended process, or to one that claims the name again. */
async function claimAgain(folder: string): Promise<boolean> {
  if (await claimFolder(folder)) return true;
  return (await removeEmptyFolder(folder)) && (await claimFolder(folder));
}

/**
 * The tree of the known files: every folder and matching file below the root, with the stamp that was read
 * last. It has no I/O, no clock and no events. Paths are relative with `/`; the root is the empty path.
 */
import type { Stamp } from '../read/stamp.js';

export interface KnownFile {
  stamp: Stamp;
  /** The stamp was read so soon after the write that a second write may have the same time. */
  isFresh: boolean;
}

/** Distinguishes a recreated folder from the old one. Inode numbers are reused, birth times are not. */
export interface FolderIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly birthtimeNs: bigint;
}

export const isSameFolder = (a: FolderIdentity, b: FolderIdentity | undefined): boolean =>
  a.ino === b?.ino && a.dev === b.dev && a.birthtimeNs === b.birthtimeNs;

export interface KnownFolder {
  readonly path: string;
  /** The only file names that can match in this folder, if they are known. Such a folder is never listed. */
  readonly onlyFiles: readonly string[] | undefined;
  readonly files: Map<string, KnownFile>;
  /** Sub-folders by name. */
  readonly folders: Map<string, KnownFolder>;
  identity: FolderIdentity | undefined;
  /** The folder's modification time at its last complete listing; `undefined`: it must be listed again. */
  listedNs: bigint | undefined;
}

export type OnlyFiles = (folder: string) => readonly string[] | undefined;

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

export function splitPath(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf('/');
  return slash < 0
    ? { folder: '', name: path }
    : { folder: path.slice(0, slash), name: path.slice(slash + 1) };
}

export class FileTree {
  readonly root: KnownFolder;
  readonly #folders = new Map<string, KnownFolder>();
  readonly #onlyFiles: OnlyFiles;

  constructor(onlyFiles: OnlyFiles) {
    this.#onlyFiles = onlyFiles;
    this.root = this.folder('');
  }

  count(): { folders: number; files: number } {
    let files = 0;
    for (const folder of this.#folders.values()) files += folder.files.size;
    return { folders: this.#folders.size, files };
  }

  find(path: string): KnownFolder | undefined {
    return this.#folders.get(path);
  }

  /** Returns the folder of that path; adds it with its parents if it is new. */
  folder(path: string): KnownFolder {
    const known = this.#folders.get(path);
    if (known) return known;
    const onlyFiles = this.#onlyFiles(path);
    const folder: KnownFolder = {
      path,
      onlyFiles,
      files: new Map(),
      folders: new Map(),
      identity: undefined,
      listedNs: undefined,
    };
    this.#folders.set(path, folder);
    if (path !== '') {
      const parent = splitPath(path);
      this.folder(parent.folder).folders.set(parent.name, folder);
    }
    return folder;
  }

  /** Removes a folder with its content and returns the paths of its files. The root is only emptied. */
  removeFolder(folder: KnownFolder): string[] {
    const removed = [...folder.files.keys()].map((name) => joinPath(folder.path, name));
    // One by one: spreading the files of 100 000 folders into push() overflows the stack.
    for (const child of [...folder.folders.values()])
      for (const path of this.removeFolder(child)) removed.push(path);
    folder.files.clear();
    folder.folders.clear();
    folder.identity = undefined;
    folder.listedNs = undefined;
    if (folder.path === '') return removed;
    this.#folders.delete(folder.path);
    const parent = splitPath(folder.path);
    this.#folders.get(parent.folder)?.folders.delete(parent.name);
    return removed;
  }

  /** All folders with their files, in no defined order. */
  all(): IterableIterator<KnownFolder> {
    return this.#folders.values();
  }

  /** A copy of the stamps of all known files, by path. */
  snapshot(): Map<string, Stamp> {
    const stamps = new Map<string, Stamp>();
    for (const folder of this.#folders.values())
      for (const [name, file] of folder.files) stamps.set(joinPath(folder.path, name), file.stamp);
    return stamps;
  }
}

/**
 * Applies single looks at the disk to the view and decides what is a change worth reporting.
 * Owns the file tree and the lists of what changed most recently; does no I/O of its own.
 */
import type { BigIntStats } from 'node:fs';
import type { Clock } from '../../base/clock.js';
import { isSameStamp, type Stamp, stampOf } from '../stamp.js';
import {
  FileTree,
  joinPath,
  type KnownFile,
  type KnownFolder,
  type OnlyFiles,
  splitPath,
} from './file-tree.js';
import { isIgnoredFile } from './ignored-names.js';
import type { Seen } from './look.js';
import { RecentPaths } from './recent.js';

/** Two writes closer than this may get one time (kernel ticks of 4 to 16 ms), and so one stamp. */
const FRESH_FILE_MS = 40;

export interface ViewOptions {
  readonly clock: Clock;
  readonly match: (path: string) => boolean;
  readonly onlyFiles: OnlyFiles;
  /** How many folders, and how many files, count as recent. */
  readonly recentLimit: number;
  /** A file appeared or changed (`stamp`), or went (`undefined`); the view has it already. */
  readonly report: (path: string, stamp: Stamp | undefined) => void;
  /** The file was written this very moment: it is to be checked again when the dust has settled. */
  readonly checkAgain: (folder: string, name: string) => void;
  /** The folder at this path is another one than before: whoever watches it watches a ghost. */
  readonly replaced: (folder: string) => void;
}

export class View {
  readonly tree: FileTree;
  readonly recentFolders: RecentPaths;
  readonly recentFiles: RecentPaths;
  /** Reports a change at the moment of its writing too, instead of leaving that to `checkAgain`. */
  reportsFresh = false;
  readonly #o: ViewOptions;

  constructor(options: ViewOptions) {
    this.#o = options;
    this.tree = new FileTree(options.onlyFiles);
    this.recentFolders = new RecentPaths(options.recentLimit);
    this.recentFiles = new RecentPaths(options.recentLimit);
  }

  /** The root and the recent folders that still exist. */
  foldersToWatch(): ReadonlySet<string> {
    const folders = new Set(['']);
    for (const path of this.recentFolders.paths) if (this.tree.find(path)) folders.add(path);
    return folders;
  }

  /** Whether a file of that name would be part of the view; asked before any look at the disk. */
  isWanted(folder: KnownFolder, name: string): boolean {
    if (folder.onlyFiles && !folder.onlyFiles.includes(name)) return false;
    return !isIgnoredFile(name) && this.#o.match(joinPath(folder.path, name));
  }

  /** Takes in what was just seen at a name. */
  apply(folder: KnownFolder, name: string, seen: Seen): void {
    if (seen === 'unknown') return;
    const known = folder.files.get(name);
    if (seen !== 'absent' && seen.isFile()) {
      if (known || this.isWanted(folder, name)) this.#observe(folder, name, known, stampOf(seen));
    } else if (known) {
      this.forgetFile(folder, name);
    }
  }

  /** Takes in a file of our own making without reporting it; `undefined` when we removed it. */
  adopt(path: string, stamp: Stamp | undefined): void {
    const { folder: folderPath, name } = splitPath(path);
    if (!stamp) {
      this.tree.find(folderPath)?.files.delete(name);
      this.recentFiles.delete(path);
      return;
    }
    if (isIgnoredFile(name) || !this.#o.match(path)) return;
    const folder = this.tree.folder(folderPath);
    if (!this.isWanted(folder, name)) return;
    folder.files.set(name, { stamp, isFresh: false });
    this.recentFolders.add(folderPath);
    this.recentFiles.add(path);
  }

  forgetFile(folder: KnownFolder, name: string): void {
    folder.files.delete(name);
    this.#report(folder.path, joinPath(folder.path, name), undefined);
  }

  forgetFolder(folder: KnownFolder): void {
    for (const path of this.tree.removeFolder(folder)) {
      this.recentFiles.delete(path);
      this.#o.report(path, undefined);
    }
    this.recentFolders.delete(folder.path);
  }

  /** True when the folder is another one than the view knew; then it must be listed anew. */
  isReplaced(folder: KnownFolder, { dev, ino, birthtimeNs }: BigIntStats): boolean {
    const old = folder.identity;
    if (old && old.ino === ino && old.birthtimeNs === birthtimeNs && old.dev === dev) return false;
    folder.identity = { dev, ino, birthtimeNs };
    if (!old) return false;
    folder.listedNs = undefined;
    this.#o.replaced(folder.path);
    return true;
  }

  #observe(folder: KnownFolder, name: string, known: KnownFile | undefined, stamp: Stamp): void {
    const ageMs = this.#o.clock.now() - Number(stamp.mtimeNs / 1_000_000n);
    const isFresh = Math.abs(ageMs) < FRESH_FILE_MS;
    if (isFresh) this.#o.checkAgain(folder.path, name);
    // A stamp that was taken fresh may hide a second write in the same tick: reported once more.
    if (known && isSameStamp(known.stamp, stamp) && (isFresh || !known.isFresh)) return;
    if (isFresh && !this.reportsFresh) return;
    folder.files.set(name, { stamp, isFresh });
    this.#report(folder.path, joinPath(folder.path, name), stamp);
  }

  #report(folder: string, path: string, stamp: Stamp | undefined): void {
    this.recentFolders.add(folder);
    if (stamp) this.recentFiles.add(path);
    else this.recentFiles.delete(path);
    this.#o.report(path, stamp);
  }
}

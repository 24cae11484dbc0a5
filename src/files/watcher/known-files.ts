/**
 * The files that the watcher knows: the file tree and the lists of recent paths. This class applies results
 * of `statEntry` to them and decides which changes to report. No I/O.
 */
import type { BigIntStats } from 'node:fs';
import type { Clock } from '../../base/clock.js';
import { isSameStamp, modifiedMs, type Stamp, stampOf } from '../read/stamp.js';
import {
  FileTree,
  isSameFolder,
  joinPath,
  type KnownFile,
  type KnownFolder,
  type OnlyFiles,
  splitPath,
} from './file-tree.js';
import { isIgnoredFile } from './ignored-names.js';
import { RecentPaths } from './recent-paths.js';
import type { Seen } from './stat-entry.js';

/** Two writes within this time may have the same time (kernel ticks of 4 to 16 ms), and so the same stamp. */
const FRESH_FILE_MS = 40;

export interface KnownFilesOptions {
  readonly clock: Clock;
  readonly match: (path: string) => boolean;
  readonly onlyFiles: OnlyFiles;
  /** The maximum number of recent folders, and of recent files. */
  readonly recentLimit: number;
  /** Called after a known file was added or changed (`stamp`), or removed (`undefined`). */
  readonly report: (path: string, stamp: Stamp | undefined) => void;
  /** Called for a file that was written less than 40 ms ago: it must be checked again after a pause. */
  readonly checkAgain: (folder: string, name: string) => void;
  /** Called when a folder was replaced, or the root was found. Existing watches of it no longer work. */
  readonly replaced: (folder: string) => void;
}

export class KnownFiles {
  readonly tree: FileTree;
  readonly recentFolders: RecentPaths;
  readonly recentFiles: RecentPaths;
  /**
   * Whether a change that is less than 40 ms old is reported too. Otherwise `checkAgain` is called for it.
   */
  reportsFresh = false;
  readonly #options: KnownFilesOptions;

  constructor(options: KnownFilesOptions) {
    this.#options = options;
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

  /** Whether a file with this name is watched. Called before any stat. */
  isWanted(folder: KnownFolder, name: string): boolean {
    if (folder.onlyFiles && !folder.onlyFiles.includes(name)) return false;
    return !isIgnoredFile(name) && this.#options.match(joinPath(folder.path, name));
  }

  /** Updates the known files with the stats of a name. */
  apply(folder: KnownFolder, name: string, seen: Seen): void {
    if (seen === 'unknown') return;
    const known = folder.files.get(name);
    if (seen !== 'absent' && seen.isFile()) {
      if (known || this.isWanted(folder, name)) this.#observe(folder, name, known, stampOf(seen));
    } else if (known) {
      this.forgetFile(folder, name);
    }
  }

  /** Adds a file that this process wrote, without a report. `stamp` is `undefined` if it removed the file. */
  adopt(path: string, stamp: Stamp | undefined): void {
    const { folder: folderPath, name } = splitPath(path);
    if (!stamp) {
      this.tree.find(folderPath)?.files.delete(name);
      this.recentFiles.delete(path);
      return;
    }
    if (isIgnoredFile(name) || !this.#options.match(path)) return;
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
      this.#options.report(path, undefined);
    }
    this.recentFolders.delete(folder.path);
  }

  /** Returns true if the folder was replaced since it was read. Then it must be listed again. */
  isReplaced(folder: KnownFolder, stats: BigIntStats): boolean {
    const old = folder.identity;
    if (isSameFolder(stats, old)) return false;
    const { dev, ino, birthtimeNs } = stats;
    folder.identity = { dev, ino, birthtimeNs };
    // The root stays in the tree while it is missing. Its watch does not work when it has returned.
    if (old || folder.path === '') this.#options.replaced(folder.path);
    if (!old) return false;
    folder.listedNs = undefined;
    return true;
  }

  #observe(folder: KnownFolder, name: string, known: KnownFile | undefined, stamp: Stamp): void {
    const ageMs = this.#options.clock.now() - modifiedMs(stamp);
    const isFresh = Math.abs(ageMs) < FRESH_FILE_MS;
    if (isFresh) this.#options.checkAgain(folder.path, name);
    // If the known stamp was read right after a write, it may hide a second write, so the file is reported
    // again.
    if (known && isSameStamp(known.stamp, stamp) && (isFresh || !known.isFresh)) return;
    if (isFresh && !this.reportsFresh) return;
    folder.files.set(name, { stamp, isFresh });
    this.#report(folder.path, joinPath(folder.path, name), stamp);
  }

  #report(folder: string, path: string, stamp: Stamp | undefined): void {
    this.recentFolders.add(folder);
    if (stamp) this.recentFiles.add(path);
    else this.recentFiles.delete(path);
    this.#options.report(path, stamp);
  }
}

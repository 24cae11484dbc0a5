/**
 * Updates the known files from the disk with stat calls. A full pass checks every entry, a hot pass the
 * entries that changed most recently, and `check` one name. A folder is listed only if its own modification time
 * shows that a name was added or removed. Calls must not overlap (the watcher queues them), but the
 * known files may change between time slices.
 */

import { TimeSlice } from '../../base/async/time-slice.js';
import type { Clock } from '../../base/clock.js';
import { hasStampNow } from '../read/stamp.js';
import { caseFolded } from '../safe-access/real-path.js';
import { joinPath, type KnownFolder, splitPath } from './file-tree.js';
import { isIgnoredFolder } from './ignored-names.js';
import type { KnownFiles } from './known-files.js';
import { type Listing, listEntries, statEntry } from './stat-entry.js';

/**
 * FAT and HFS+ store times in steps of one or two seconds, so a folder that changed recently is listed again.
 */
const FRESH_FOLDER_MS = 3000;
/** In every twelfth full pass all folders are listed, because network shares may cache folder times. */
const FORCED_LISTING_EVERY = 12;

export interface PassCost {
  readonly busyMs: number;
  readonly elapsedMs: number;
}

export class Reconciler {
  readonly #root: string;
  readonly #knownFiles: KnownFiles;
  readonly #clock: Clock;
  #slice: TimeSlice;
  #passes = 0;
  #isStopped = false;
  #ignoresFolderTimes = false;

  constructor(root: string, knownFiles: KnownFiles, clock: Clock) {
    this.#root = root;
    this.#knownFiles = knownFiles;
    this.#clock = clock;
    this.#slice = new TimeSlice({ clock, readsDisk: true });
  }

  /** Ends a running pass soon; it is then incomplete. */
  stop(): void {
    this.#isStopped = true;
  }

  /** With `reportFresh`, also changes of the last milliseconds before the call are reported. */
  async full(reportFresh: boolean): Promise<PassCost> {
    // Windows updates the time of a folder late, or never if the user turned that off.
    this.#ignoresFolderTimes =
      this.#passes % FORCED_LISTING_EVERY === 0 || process.platform === 'win32';
    this.#passes += 1;
    const cost = await this.#timed(reportFresh, () => this.#scan(this.#knownFiles.tree.root));
    this.#ignoresFolderTimes = false;
    return cost;
  }

  /** Checks the root folder and the recent folders and files. */
  hot(): Promise<PassCost> {
    const { tree, recentFolders, recentFiles } = this.#knownFiles;
    return this.#timed(false, async () => {
      await this.#findNames(tree.root);
      for (const path of [...recentFolders.paths]) {
        const folder = tree.find(path);
        if (!folder) recentFolders.delete(path);
        else if (path !== '') await this.#findNames(folder);
        await this.#pause();
      }
      for (const path of [...recentFiles.paths]) {
        const { folder, name } = splitPath(path);
        const known = tree.find(folder);
        if (known) this.#checkFile(known, name);
        await this.#pause();
      }
    });
  }

  /** Checks one name, or all names in a folder. Of the sub-folders, only new ones are scanned. */
  check(path: string, name: string | undefined, reportFresh: boolean): Promise<PassCost> {
    return this.#timed(reportFresh, async () => {
      const folder = this.#knownFiles.tree.find(path);
      if (!folder) return;
      if (name !== undefined) return this.#checkName(folder, name);
      await this.#findNames(folder);
      for (const known of [...folder.files.keys()]) {
        this.#checkFile(folder, known);
        await this.#pause();
      }
    });
  }

  async #timed(reportFresh: boolean, work: () => Promise<void>): Promise<PassCost> {
    const startedAt = this.#clock.monotonic();
    this.#slice = new TimeSlice({ clock: this.#clock, readsDisk: true });
    this.#knownFiles.reportsFresh = reportFresh;
    await work();
    this.#slice.pause();
    return { busyMs: this.#slice.busyMs, elapsedMs: this.#clock.monotonic() - startedAt };
  }

  async #pause(): Promise<void> {
    if (this.#slice.isSpent()) await this.#slice.yield();
  }

  async #scan(start: KnownFolder): Promise<void> {
    const stack = [start];
    for (let folder = stack.pop(); folder && !this.#isStopped; folder = stack.pop()) {
      if (folder.onlyFiles) this.#checkIdentity(folder);
      else await this.#list(folder);
      for (const name of folder.onlyFiles ?? [...folder.files.keys()]) {
        this.#checkFile(folder, name);
        // Awaits only if the slice is spent: ten thousand other awaits cost as much as the stat calls.
        if (this.#slice.isSpent()) await this.#slice.yield();
      }
      // One by one: spreading 100 000 folders into push() overflows the stack.
      for (const child of folder.folders.values()) stack.push(child);
    }
  }

  async #findNames(folder: KnownFolder): Promise<void> {
    if (!folder.onlyFiles) {
      for (const unknown of await this.#list(folder)) await this.#scan(unknown);
      return;
    }
    for (const name of folder.onlyFiles) if (!folder.files.has(name)) this.#checkFile(folder, name);
  }

  /**
   * Finds added and removed names without a stat of known files. Returns the folders that must be scanned.
   */
  async #list(folder: KnownFolder): Promise<KnownFolder[]> {
    const path = this.#absolute(folder.path);
    const calledAtMs = this.#clock.now();
    const seen = statEntry(path);
    if (seen === 'unknown') return [];
    if (seen === 'absent' || !seen.isDirectory()) {
      this.#knownFiles.forgetFolder(folder);
      return [];
    }
    const isReplaced = this.#knownFiles.isReplaced(folder, seen);
    if (folder.listedNs === seen.mtimeNs && !this.#ignoresFolderTimes) return [];
    this.#slice.pause();
    const listing = await listEntries(path);
    this.#slice.resume();
    if (listing === undefined) return [];
    const isSettled = calledAtMs - Number(seen.mtimeMs) > FRESH_FOLDER_MS;
    folder.listedNs = isSettled ? seen.mtimeNs : undefined;
    await this.#checkMissing(folder, listing);
    const entered = await this.#enterNew(folder, listing);
    return isReplaced ? [...folder.folders.values()] : entered;
  }

  async #enterNew(folder: KnownFolder, listing: Listing): Promise<KnownFolder[]> {
    for (const name of listing.files) {
      if (!folder.files.has(name)) this.#checkFile(folder, name);
      if (this.#slice.isSpent()) await this.#slice.yield();
    }
    const entered: KnownFolder[] = [];
    for (const name of listing.folders) {
      if (!folder.folders.has(name) && !isIgnoredFolder(name))
        entered.push(this.#enter(folder, name));
      if (this.#slice.isSpent()) await this.#slice.yield();
    }
    return entered;
  }

  #enter(parent: KnownFolder, name: string): KnownFolder {
    const path = joinPath(parent.path, name);
    this.#knownFiles.recentFolders.add(path);
    return this.#knownFiles.tree.folder(path);
  }

  /**
   * Checks the names that are missing in the listing, because our own new file may be newer than the listing.
   */
  async #checkMissing(folder: KnownFolder, listing: Listing): Promise<void> {
    const gone = [...folder.files.keys()].filter((name) => !listing.files.has(name));
    for (const name of folder.folders.keys()) if (!listing.folders.has(name)) gone.push(name);
    if (gone.length === 0) return;
    const listed = new Set([...listing.files, ...listing.folders].map(caseFolded));
    for (const name of gone) {
      // On macOS and Windows, a stat of `Note.md` still succeeds after the file was renamed to `note.md`.
      if (listed.has(caseFolded(name))) this.#forget(folder, name);
      else await this.#checkName(folder, name);
      await this.#pause();
    }
  }

  #forget(folder: KnownFolder, name: string): void {
    const known = this.#knownFiles.tree.find(joinPath(folder.path, name));
    if (known) this.#knownFiles.forgetFolder(known);
    if (folder.files.has(name)) this.#knownFiles.forgetFile(folder, name);
  }

  /** Checks one name. It may have been a file and be a folder now, or the reverse. */
  async #checkName(folder: KnownFolder, name: string): Promise<void> {
    const path = joinPath(folder.path, name);
    const known = this.#knownFiles.tree.find(path);
    const seen = statEntry(this.#absolute(path));
    if (seen === 'unknown') return;
    const isFolder = seen !== 'absent' && seen.isDirectory();
    if (known && !isFolder) this.#knownFiles.forgetFolder(known);
    this.#knownFiles.apply(folder, name, seen);
    if (!isFolder || folder.onlyFiles || isIgnoredFolder(name)) return;
    if (!known) await this.#scan(this.#enter(folder, name));
    else if (this.#knownFiles.isReplaced(known, seen)) await this.#scan(known);
  }

  #checkFile(folder: KnownFolder, name: string): void {
    const known = folder.files.get(name);
    if (!known && !this.#knownFiles.isWanted(folder, name)) return;
    const path = this.#absolute(joinPath(folder.path, name));
    if (known && !known.isFresh && hasStampNow(path, known.stamp)) return;
    this.#knownFiles.apply(folder, name, statEntry(path));
  }

  /** Detects a replaced folder if it is watched but never listed. For other folders, `#list` does this. */
  #checkIdentity(folder: KnownFolder): void {
    if (!this.#knownFiles.recentFolders.paths.has(folder.path)) return;
    const seen = statEntry(this.#absolute(folder.path));
    if (typeof seen === 'object') this.#knownFiles.isReplaced(folder, seen);
  }

  #absolute(path: string): string {
    return path === '' ? this.#root : `${this.#root}/${path}`;
  }
}

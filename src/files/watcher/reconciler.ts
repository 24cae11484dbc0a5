/**
 * Brings the view into agreement with the disk, by stat alone: the truth behind every hint.
 * A full pass looks at everything, a hot pass at what changed most recently, a check at one name.
 * A folder is listed only when its own modification time says that a name came or went.
 * Calls must not overlap (the watcher queues them); the view may change between slices all the same.
 */
import type { Clock } from '../../base/clock.js';
import { joinPath, type KnownFolder, splitPath } from './file-tree.js';
import { isIgnoredFolder } from './ignored-names.js';
import { isAsKnown, type Listing, list, look } from './look.js';
import { Slices } from './slices.js';
import type { View } from './view.js';

/** FAT and HFS+ keep whole or even seconds: a folder changed more recently is listed again. */
const FRESH_FOLDER_MS = 3000;
/** Every so many full passes the folders' times are not believed: network shares may cache them. */
const FORCED_LISTING_EVERY = 12;

export interface PassCost {
  readonly busyMs: number;
  readonly elapsedMs: number;
}

export class Reconciler {
  readonly #root: string;
  readonly #view: View;
  readonly #clock: Clock;
  #slices: Slices;
  #passes = 0;
  #isStopped = false;
  #mistrustsTimes = false;

  constructor(root: string, view: View, clock: Clock) {
    this.#root = root;
    this.#view = view;
    this.#clock = clock;
    this.#slices = new Slices(clock);
  }

  /** Makes a running pass end soon, incomplete. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Looks at every folder and file. With `reportFresh`, the view agrees with the disk as of the call. */
  async full(reportFresh: boolean): Promise<PassCost> {
    // Windows writes a folder's time late, or not at all where the user turned it off.
    this.#mistrustsTimes =
      this.#passes % FORCED_LISTING_EVERY === 0 || process.platform === 'win32';
    this.#passes += 1;
    const cost = await this.#timed(reportFresh, () => this.#scan(this.#view.tree.root));
    this.#mistrustsTimes = false;
    return cost;
  }

  /** Looks at the root folder and at the recent folders and files. */
  hot(): Promise<PassCost> {
    const { tree, recentFolders, recentFiles } = this.#view;
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

  /** Looks at one name, or at all in a folder; of the folders below only into new ones. */
  check(path: string, name: string | undefined, reportFresh: boolean): Promise<PassCost> {
    return this.#timed(reportFresh, async () => {
      const folder = this.#view.tree.find(path);
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
    this.#slices = new Slices(this.#clock);
    this.#view.reportsFresh = reportFresh;
    await work();
    this.#slices.pause();
    return { busyMs: this.#slices.busyMs, elapsedMs: this.#clock.monotonic() - startedAt };
  }

  async #pause(): Promise<void> {
    if (this.#slices.isOver()) await this.#slices.breathe();
  }

  async #scan(start: KnownFolder): Promise<void> {
    const stack = [start];
    for (let folder = stack.pop(); folder && !this.#isStopped; folder = stack.pop()) {
      if (folder.onlyFiles) this.#checkIdentity(folder);
      else await this.#list(folder);
      for (const name of folder.onlyFiles ?? [...folder.files.keys()]) {
        this.#checkFile(folder, name);
        // Awaited only when due: ten thousand needless awaits cost as much as the looks.
        if (this.#slices.isOver()) await this.#slices.breathe();
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

  /** Finds names that came and went, but does not look at known files; the folders of unknown content. */
  async #list(folder: KnownFolder): Promise<KnownFolder[]> {
    const path = this.#absolute(folder.path);
    const calledAtMs = this.#clock.now();
    const seen = look(path, folder.path === '');
    if (seen === 'unknown') return [];
    if (seen === 'absent' || !seen.isDirectory()) {
      this.#view.forgetFolder(folder);
      return [];
    }
    const isReplaced = this.#view.isReplaced(folder, seen);
    if (folder.listedNs === seen.mtimeNs && !this.#mistrustsTimes) return [];
    this.#slices.pause();
    const listing = await list(path);
    this.#slices.resume();
    if (typeof listing === 'string') return [];
    const isSettled = calledAtMs - Number(seen.mtimeMs) > FRESH_FOLDER_MS;
    folder.listedNs = isSettled ? seen.mtimeNs : undefined;
    await this.#checkMissing(folder, listing);
    const entered = await this.#enterNew(folder, listing);
    return isReplaced ? [...folder.folders.values()] : entered;
  }

  async #enterNew(folder: KnownFolder, listing: Listing): Promise<KnownFolder[]> {
    for (const name of listing.files) {
      if (!folder.files.has(name)) this.#checkFile(folder, name);
      if (this.#slices.isOver()) await this.#slices.breathe();
    }
    const entered: KnownFolder[] = [];
    for (const name of listing.folders) {
      if (!folder.folders.has(name) && !isIgnoredFolder(name))
        entered.push(this.#enter(folder, name));
      if (this.#slices.isOver()) await this.#slices.breathe();
    }
    return entered;
  }

  #enter(parent: KnownFolder, name: string): KnownFolder {
    const path = joinPath(parent.path, name);
    this.#view.recentFolders.add(path);
    return this.#view.tree.folder(path);
  }

  /** Names that are not listed are looked at, not just forgotten: our own new file may be younger than the listing. */
  async #checkMissing(folder: KnownFolder, listing: Listing): Promise<void> {
    const gone = [...folder.files.keys()].filter((name) => !listing.files.has(name));
    for (const name of folder.folders.keys()) if (!listing.folders.has(name)) gone.push(name);
    if (gone.length === 0) return;
    const listed = new Set([...listing.files, ...listing.folders].map(folded));
    for (const name of gone) {
      // On macOS and Windows the old name still finds the file after `Note.md` became `note.md`.
      if (listed.has(folded(name))) this.#forget(folder, name);
      else await this.#checkName(folder, name);
      await this.#pause();
    }
  }

  #forget(folder: KnownFolder, name: string): void {
    const known = this.#view.tree.find(joinPath(folder.path, name));
    if (known) this.#view.forgetFolder(known);
    if (folder.files.has(name)) this.#view.forgetFile(folder, name);
  }

  /** One look at a name of which anything may have become anything. */
  async #checkName(folder: KnownFolder, name: string): Promise<void> {
    const path = joinPath(folder.path, name);
    const known = this.#view.tree.find(path);
    const seen = look(this.#absolute(path));
    if (seen === 'unknown') return;
    const isFolder = seen !== 'absent' && seen.isDirectory();
    if (known && !isFolder) this.#view.forgetFolder(known);
    this.#view.apply(folder, name, seen);
    if (!isFolder || folder.onlyFiles || isIgnoredFolder(name)) return;
    if (!known) await this.#scan(this.#enter(folder, name));
    else if (this.#view.isReplaced(known, seen)) await this.#scan(known);
  }

  #checkFile(folder: KnownFolder, name: string): void {
    const known = folder.files.get(name);
    if (!known && !this.#view.isWanted(folder, name)) return;
    const path = this.#absolute(joinPath(folder.path, name));
    if (known && !known.isFresh && isAsKnown(path, known.stamp)) return;
    this.#view.apply(folder, name, look(path));
  }

  /** For folders that are watched but never listed: of the others the listing tells it. */
  #checkIdentity(folder: KnownFolder): void {
    if (!this.#view.recentFolders.paths.has(folder.path)) return;
    const seen = look(this.#absolute(folder.path));
    if (typeof seen === 'object') this.#view.isReplaced(folder, seen);
  }

  #absolute(path: string): string {
    return path === '' ? this.#root : `${this.#root}/${path}`;
  }
}

/** Equal for all names that a file system may take for the same one. */
function folded(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

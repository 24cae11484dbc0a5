/**
 * The paths that changed most recently, up to a limit: what is watched and looked at every tick.
 * People work on few things at a time, so these are where the next change will be.
 */
import { type FileTree, joinPath } from './file-tree.js';

export class RecentPaths {
  readonly #limit: number;
  readonly #paths = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get paths(): ReadonlySet<string> {
    return this.#paths;
  }

  /** Makes `path` the most recent one and drops the least recent beyond the limit. */
  add(path: string): void {
    this.#paths.delete(path);
    this.#paths.add(path);
    if (this.#paths.size <= this.#limit) return;
    for (const oldest of this.#paths) {
      this.#paths.delete(oldest);
      return;
    }
  }

  delete(path: string): void {
    this.#paths.delete(path);
  }
}

/** Fills both lists from the modification times in the view, as nothing is known yet of the order of changes. */
export function rankByTime(tree: FileTree, folders: RecentPaths, files: RecentPaths): void {
  const byTime: { folder: string; name: string; timeMs: number }[] = [];
  for (const { path, files: known } of tree.all()) {
    // Empty folders first: they rank lowest, but a new file in one is still seen soon if there is room.
    if (known.size === 0) folders.add(path);
    for (const [name, { stamp }] of known)
      byTime.push({ folder: path, name, timeMs: Number(stamp.mtimeNs / 1_000_000n) });
  }
  byTime.sort((a, b) => a.timeMs - b.timeMs);
  for (const { folder, name } of byTime) {
    folders.add(folder);
    files.add(joinPath(folder, name));
  }
}

/**
 * The paths that changed most recently, up to a limit (LRU). They are watched and checked at every tick,
 * because people work on few files at a time, so the next change is probably in one of them.
 */
import { type FileTree, joinPath } from './file-tree.js';

export class RecentPaths {
  readonly limit: number;
  readonly #paths = new Set<string>();
  /** Points to the least recent path. A new iterator would have to skip all deleted entries of the set. */
  readonly #oldest = this.#paths.values();

  constructor(limit: number) {
    this.limit = limit;
  }

  get paths(): ReadonlySet<string> {
    return this.#paths;
  }

  /** Makes `path` the most recent path, and removes the least recent one if there are too many. */
  add(path: string): void {
    this.#paths.delete(path);
    this.#paths.add(path);
    if (this.#paths.size <= this.limit) return;
    const { value } = this.#oldest.next();
    if (value !== undefined) this.#paths.delete(value);
  }

  delete(path: string): void {
    this.#paths.delete(path);
  }
}

/** Fills both lists by modification time, at the start, when the order of the changes is not known yet. */
export function rankByTime(tree: FileTree, folders: RecentPaths, files: RecentPaths): void {
  const times = new Float64Array(tree.count().files);
  let count = 0;
  for (const { path, files: known } of tree.all()) {
    // Empty folders have the lowest rank. They are watched if the limit allows it.
    if (known.size === 0) folders.add(path);
    for (const { stamp } of known.values()) times[count++] = Number(stamp.mtimeNs);
  }
  // Sorting 10 000 paths blocked the event loop for 40 ms; sorting numbers takes 1 ms.
  const oldest = times.sort()[Math.max(0, count - files.limit)] ?? 0;
  const recent: { folder: string; name: string; time: number }[] = [];
  for (const { path, files: known } of tree.all())
    for (const [name, { stamp }] of known) {
      const time = Number(stamp.mtimeNs);
      if (time >= oldest) recent.push({ folder: path, name, time });
    }
  recent.sort((a, b) => a.time - b.time);
  for (const { folder, name } of recent) {
    folders.add(folder);
    files.add(joinPath(folder, name));
  }
}

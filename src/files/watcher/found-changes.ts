/** The changes to report. It has only the last state of each path, so that a changed file is read only once. */
import { isSameStamp, type Stamp } from '../read/stamp.js';

export interface FileChange {
  readonly path: string;
  /** `undefined` if the file was removed. */
  readonly stamp: Stamp | undefined;
}

export class FoundChanges {
  readonly #changes = new Map<string, FileChange>();

  add(path: string, stamp: Stamp | undefined): void {
    this.#changes.set(path, { path, stamp });
  }

  /** Removes the change of the path if it has this stamp, because it was our own write. */
  drop(path: string, stamp: Stamp | undefined): void {
    const change = this.#changes.get(path);
    if (change && isSameStamp(change.stamp, stamp)) this.#changes.delete(path);
  }

  /** Removes and returns all changes, each path once. */
  take(): FileChange[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    return changes;
  }
}

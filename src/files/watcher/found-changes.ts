/**
 * The changes that were found and not yet reported. It keeps only the last state of each path, so that a
 * consumer does not read a file for an outdated state.
 */
import { isSameStamp, type Stamp } from '../read/stamp.js';

export type FileChange =
  | { readonly path: string; readonly kind: 'changed'; readonly stamp: Stamp }
  | { readonly path: string; readonly kind: 'removed'; readonly stamp: undefined };

export class FoundChanges {
  readonly #changes = new Map<string, FileChange>();

  /** `undefined` is a removal. */
  add(path: string, stamp: Stamp | undefined): void {
    this.#changes.set(
      path,
      stamp ? { path, kind: 'changed', stamp } : { path, kind: 'removed', stamp },
    );
  }

  /** Drops the change if it is exactly this one: it was our own write. */
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

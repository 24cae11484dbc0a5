/**
 * What was found and not handed out yet: the last state of each path, so that a consumer
 * never reads a file for a state that is already past.
 */
import { isSameStamp, type Stamp } from '../stamp.js';

export type FileChange =
  | { readonly path: string; readonly kind: 'changed'; readonly stamp: Stamp }
  | { readonly path: string; readonly kind: 'removed'; readonly stamp: undefined };

export class FoundChanges {
  readonly #changes = new Map<string, FileChange>();

  /** `undefined` stands for a removal. */
  add(path: string, stamp: Stamp | undefined): void {
    this.#changes.set(
      path,
      stamp ? { path, kind: 'changed', stamp } : { path, kind: 'removed', stamp },
    );
  }

  /** Forgets what was found if it is just this: our own doing, as it turned out. */
  drop(path: string, stamp: Stamp | undefined): void {
    const change = this.#changes.get(path);
    if (change && isSameStamp(change.stamp, stamp)) this.#changes.delete(path);
  }

  /** All changes, each path once; none is left. */
  take(): FileChange[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    return changes;
  }
}

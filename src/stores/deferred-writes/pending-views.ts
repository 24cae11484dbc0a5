/**
 * The values that readers see while writes wait, by name, until the last write of that name has ended.
 */
import type { Clock } from '../../base/clock.js';
import type { Stamp } from '../../files/read/stamp.js';

export class PendingViews<T> {
  readonly #views = new Map<string, { readonly view: T; readonly writes: number }>();

  get(name: string): T | undefined {
    return this.#views.get(name)?.view;
  }

  has(name: string): boolean {
    return this.#views.has(name);
  }

  /** Adds a waiting write with this name. Until it ends, readers see `view`. */
  show(name: string, view: T): void {
    const { writes = 0 } = this.#views.get(name) ?? {};
    this.#views.set(name, { view, writes: writes + 1 });
  }

  /** Ends one write with this name. Returns true if it was the last one; then readers read the disk again. */
  end(name: string): boolean {
    const { view, writes = 0 } = this.#views.get(name) ?? {};
    if (view !== undefined && writes > 1) this.#views.set(name, { view, writes: writes - 1 });
    else this.#views.delete(name);
    return !this.#views.has(name);
  }
}

let versions = 0n;

/** Returns a unique stamp for a version that is only in memory. No file has this stamp. */
export function stampInMemory(clock: Clock, size: number): Stamp {
  versions += 1n;
  const mtimeNs = BigInt(clock.now()) * 1_000_000n + (versions % 1_000_000n);
  return { dev: 0n, ino: 0n, size: BigInt(size), mtimeNs };
}

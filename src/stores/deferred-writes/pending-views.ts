/**
 * The writes of one store that wait in the queue, by the name of their file, and the values that readers see
 * until the last write of that name has ended.
 */
import type { Clock } from '../../base/clock.js';
import type { Stamp } from '../../files/read/stamp.js';
import type { WaitingWrite, WriteQueue } from './write-queue.js';

/** The size that a waiting deletion counts in the queue. */
const DELETION_BYTES = 100;

interface Catalogue {
  refresh(): Promise<void>;
  refreshSome(names: readonly string[]): Promise<void>;
  forget(name: string): void;
}

export class PendingViews<T> {
  /** The other name under which a text was written, because another program had changed the file. */
  readonly moved = new Map<string, string>();
  readonly #queue: WriteQueue;
  readonly #catalogue: Catalogue;
  readonly #views = new Map<string, { readonly view: T | 'deleted'; readonly writes: number }>();

  constructor(queue: WriteQueue, catalogue: Catalogue) {
    this.#queue = queue;
    this.#catalogue = catalogue;
    queue.whenBack(() => catalogue.refresh());
  }

  get(name: string): T | 'deleted' | undefined {
    return this.#views.get(name)?.view;
  }

  /** Whether reads use memory and not the disk: for this name or, without a name, for all. */
  isInMemory(name?: string): boolean {
    return (name !== undefined && this.#views.has(name)) || this.#queue.isAway;
  }

  /** For changes that cannot wait. STORAGE_UNAVAILABLE if a write of it waits and cannot be done. */
  async requireNone(name: string): Promise<void> {
    this.#queue.requireHere();
    if (this.#views.has(name)) await this.#queue.requireSettled();
  }

  /** Adds a write to the queue. Until it ends, readers see `view`. STORAGE_UNAVAILABLE: no room. */
  add(name: string, view: T | 'deleted', write: Omit<WaitingWrite, 'ended'>): void {
    this.#queue.requireRoom(write.bytes);
    const { writes = 0 } = this.#views.get(name) ?? {};
    this.#views.set(name, { view, writes: writes + 1 });
    this.#queue.add({ ...write, ended: () => this.#ended(name) });
  }

  /** Like `add`, for the deletion of `what`. `write` gets the name that the file has now. */
  delete(name: string, what: string, write: (name: string) => Promise<void>): void {
    this.add(name, 'deleted', {
      name: `deletion of ${what}`,
      bytes: DELETION_BYTES,
      write: () => write(this.moved.get(name) ?? name),
    });
    this.#catalogue.forget(name);
  }

  /** After the last write of the name, readers read the disk again. */
  async #ended(name: string): Promise<void> {
    const { view, writes = 0 } = this.#views.get(name) ?? {};
    if (view !== undefined && writes > 1) {
      this.#views.set(name, { view, writes: writes - 1 });
      return;
    }
    this.#views.delete(name);
    this.moved.delete(name);
    await this.#catalogue.refreshSome([name]);
  }
}

let versions = 0n;

/** Returns a unique stamp for a version that is only in memory. No file has this stamp. */
export function stampInMemory(clock: Clock, size: number): Stamp {
  versions += 1n;
  const mtimeNs = BigInt(clock.now()) * 1_000_000n + (versions % 1_000_000n);
  return { dev: 0n, ino: 0n, size: BigInt(size), mtimeNs };
}

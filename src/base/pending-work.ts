/** Work that was accepted and has not ended yet. An owner that closes waits for it. */
export class PendingWork {
  readonly #running = new Set<Promise<unknown>>();

  /** True while no work is running. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Settles as `work` does. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  /** Resolves once no work is running. Never rejects. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}

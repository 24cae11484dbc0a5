/** The accepted work that has not ended yet. An owner waits for it when it closes. */
export class PendingWork {
  readonly #running = new Set<Promise<unknown>>();

  /** True while no work is running. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Registers `work` until it settles. Settles like `work`. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }

  /** Resolves when no work is running. Never rejects. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}

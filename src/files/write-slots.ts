/** A semaphore for writes: enough run at once to share an fsync, and few enough to fit into memory. */

export interface SlotLimits {
  readonly atOnce: number;
  /** The sum of the weights of what is written at once, such as bytes or messages. */
  readonly weight: number;
}

export class WriteSlots {
  readonly #limits: SlotLimits;
  readonly #running = new Set<Promise<void>>();
  #weight = 0;
  #failures: unknown[] = [];
  /** Resolves the wait of `ended`. `Promise.race` would add a handler to each running write. */
  #onEnd: () => void = () => undefined;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Starts `work` when there is room for it. Throws the error of an earlier write. */
  async add(weight: number, work: () => Promise<void>): Promise<void> {
    while (this.#isFull(weight)) await this.ended();
    this.throwIfFailed();
    this.#weight += weight;
    const ended = () => {
      this.#running.delete(running);
      this.#weight -= weight;
      this.#onEnd();
    };
    const running = work().then(ended, (error: unknown) => {
      this.#failures.push(error);
      ended();
    });
    this.#running.add(running);
  }

  get isAnyRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Resolves when the next write ends. Only one caller waits at a time, in `add` or here. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnd = resolve;
    });
  }

  /** Resolves when all started writes have ended. It never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  throwIfFailed(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  #isFull(weight: number): boolean {
    if (this.#running.size === 0) return false;
    return this.#running.size >= this.#limits.atOnce || this.#weight + weight > this.#limits.weight;
  }
}

/**
 * Limits how many conversations an import writes at once: enough that several writes share one fsync, and
 * so few that they fit into memory.
 */
const MAX_AT_ONCE = 512;
const MAX_MESSAGES_AT_ONCE = 2_000;

export class WriteSlots {
  readonly #running = new Set<Promise<void>>();
  #messages = 0;
  #failures: unknown[] = [];
  /** Resolves the wait of `add`. A race of all that run would cost a reaction for each of them. */
  #onRoom: () => void = () => undefined;

  /** Starts `work` when there is room for it. Throws the error of an earlier write. */
  async add(messages: number, work: () => Promise<void>): Promise<void> {
    while (this.#isFull(messages)) {
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
    this.throwIfFailed();
    this.#messages += messages;
    const running = work()
      .catch((error: unknown) => void this.#failures.push(error))
      .then(() => {
        this.#running.delete(running);
        this.#messages -= messages;
        this.#onRoom();
      });
    this.#running.add(running);
  }

  /** Resolves when all started writes have ended. It never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  throwIfFailed(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  #isFull(messages: number): boolean {
    if (this.#running.size === 0) return false;
    return this.#running.size >= MAX_AT_ONCE || this.#messages + messages > MAX_MESSAGES_AT_ONCE;
  }
}

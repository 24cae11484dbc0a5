/**
 * Repeats an attempt with exponential backoff until it succeeds. Its timer does not keep the process alive.
 */

const FIRST_MS = 250;
const LONGEST_MS = 5_000;

export class Retry {
  readonly #attempt: () => Promise<boolean>;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_MS;
  #isStopped = false;

  /** `attempt`: resolves with true if there is nothing more to do. */
  constructor(attempt: () => Promise<boolean>) {
    this.#attempt = attempt;
  }

  /** Does nothing if an attempt is planned already. */
  start(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#run(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#timer = undefined; // a call of `start` during the attempt plans another one
    const isDone = await this.#attempt().catch(() => false);
    if (isDone) this.#pauseMs = FIRST_MS;
    else this.start();
  }
}

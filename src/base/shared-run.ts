/**
 * Work whose callers share it: each is answered by a run that began after its call, and those that
 * come while one is under way share the next. For passes over a folder: one that is under way may
 * have read before the change in question.
 */
export class SharedRun {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** What the work throws, of the run that answers this call. */
  async run(): Promise<void> {
    await this.#running?.catch(() => undefined); // its own callers get the error
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }
}

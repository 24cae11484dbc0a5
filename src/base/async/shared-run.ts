/**
 * Runs work that several callers share. Each call waits for a run that began after the call. Calls during a
 * run share the next run, because the present run may have read the folder before the caller's change.
 */
export class SharedRun {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when a run that began after this call has ended. Throws what the work throws. */
  async run(): Promise<void> {
    await this.#running?.catch(() => undefined); // its own callers get the error
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }
}

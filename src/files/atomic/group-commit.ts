/**
 * Group commit: items that arrive during a write are written together in the next one. An fsync takes
 * milliseconds and a message microseconds, so many messages share one fsync.
 */

export type Outcome<T> = { value: T } | { error: unknown };

export async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

interface Waiting<I, O> {
  item: I;
  resolve: (value: O) => void;
  reject: (error: unknown) => void;
}

export interface GroupCommitOptions {
  readonly whenIdle?: () => void;
  /** The number of items of one commit. */
  readonly maxBatch?: number;
  /** Awaited before each commit; what is added meanwhile joins it. Must not reject. */
  readonly gather?: () => Promise<void>;
}

export class GroupCommit<I, O> {
  readonly #commit: (items: readonly I[]) => Promise<readonly Outcome<O>[]>;
  readonly #options: GroupCommitOptions;
  #waiting: Waiting<I, O>[] = [];
  #isRunning = false;

  /**
   * `commit` gets the items in the order in which they were added and returns one outcome for each. If
   * it throws, all of them fail. One commit runs at a time.
   */
  constructor(
    commit: (items: readonly I[]) => Promise<readonly Outcome<O>[]>,
    options: GroupCommitOptions = {},
  ) {
    this.#commit = commit;
    this.#options = options;
  }

  /** Resolves with the item's outcome when its commit is done. */
  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    const { gather, maxBatch, whenIdle } = this.#options;
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await gather?.(); // without it: the rest of this tick's items
      const batch = this.#waiting.slice(0, maxBatch);
      this.#waiting = this.#waiting.slice(batch.length);
      await this.#runBatch(batch);
    }
    this.#isRunning = false;
    whenIdle?.();
  }

  async #runBatch(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const outcomes = await this.#commit(batch.map(({ item }) => item));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined && 'value' in outcome) resolve(outcome.value);
        else reject(outcome?.error ?? new Error('commit returned too few outcomes'));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

/** One group commit for each key. Commits of different keys run at the same time. */
export class GroupCommits<I, O> {
  readonly #commit: (key: string, items: readonly I[]) => Promise<readonly Outcome<O>[]>;
  readonly #byKey = new Map<string, GroupCommit<I, O>>();

  /** `commit`: as for `GroupCommit`. */
  constructor(commit: (key: string, items: readonly I[]) => Promise<readonly Outcome<O>[]>) {
    this.#commit = commit;
  }

  /** Resolves with the item's outcome when the commit of its key is done. */
  add(key: string, item: I): Promise<O> {
    let commits = this.#byKey.get(key);
    if (commits === undefined) {
      commits = new GroupCommit((items) => this.#commit(key, items), {
        whenIdle: () => this.#byKey.delete(key),
      });
      this.#byKey.set(key, commits);
    }
    return commits.add(item);
  }
}

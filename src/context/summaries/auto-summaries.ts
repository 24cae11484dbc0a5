/**
 * Keeps summaries current in the background, where the user asked for that (`autoSummarise`): a
 * conversation that was quiet for a while is summarised again, one at a time. Every client has its own
 * server process; a lease says which of them does the work, so that no model is paid twice.
 */
import { type Clock, sleep } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import { type Lease, tryLease } from '../../files/locks/lease.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { SummaryLevel } from '../../stores/summaries/summary-file.js';
import type { SummaryStore } from '../../stores/summaries/summary-store.js';
import type { SummaryService } from './summary-service.js';

const LEVELS: readonly SummaryLevel[] = ['brief', 'standard'];
/** A conversation under way would be summarised at every message. */
const QUIET_MS = 60_000;
const POLL_INTERVAL_MS = 10_000;
/** A model that refused now will most likely refuse the next conversation too. */
const PAUSE_AFTER_FAILURE_MS = 10 * 60_000;
/** Between two conversations, for everything else that the process does. */
const BREAK_MS = 50;

export interface AutoSummariesOptions {
  readonly conversations: ConversationStore;
  readonly summaries: SummaryService;
  readonly store: SummaryStore;
  readonly leasePath: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly quietMs?: number;
  readonly pollIntervalMs?: number;
}

export interface AutoSummaries {
  /** Breaks off what is under way; what is stored stays. */
  close(): Promise<void>;
}

/** Begins with the conversations that have no summary yet, or changed since it was made. */
export function startAutoSummaries(options: AutoSummariesOptions): AutoSummaries {
  const runner = new Runner(options);
  const unfollow = options.conversations.followFromNow(({ conversationId, document }) =>
    runner.note(conversationId, document !== undefined),
  );
  const timer = setInterval(
    () => runner.workOnce(),
    options.pollIntervalMs ?? POLL_INTERVAL_MS,
  ).unref();
  runner.workOnce();
  return {
    async close() {
      clearInterval(timer);
      unfollow();
      await runner.close();
    },
  };
}

class Runner {
  readonly #options: AutoSummariesOptions;
  readonly #ending = new AbortController();
  /** When each conversation is due, on the monotonic clock. */
  readonly #due = new Map<string, number>();
  #context: Promise<void> | undefined;
  #hasListed = false;
  #pauseUntil = 0;

  constructor(options: AutoSummariesOptions) {
    this.#options = options;
  }

  note(conversationId: string, isThere: boolean): void {
    const { clock, quietMs = QUIET_MS } = this.#options;
    if (isThere) this.#due.set(conversationId, clock.monotonic() + quietMs);
    else this.#due.delete(conversationId);
  }

  workOnce(): void {
    this.#context ??= this.#work()
      .catch((error: unknown) => {
        if (this.#ending.signal.aborted) return;
        this.#options.log.warn({ err: error }, 'summaries were not made in the background');
        this.#pause();
      })
      .finally(() => {
        this.#context = undefined;
      });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#context;
  }

  async #work(): Promise<void> {
    if (this.#options.clock.monotonic() < this.#pauseUntil) return;
    if (this.#hasListed && this.#ready().length === 0) return;
    const lease = await tryLease(this.#options.leasePath);
    if (lease === undefined) return;
    try {
      await this.#listOnce();
      await this.#summariseReady(lease);
    } finally {
      await lease.release();
    }
  }

  async #summariseReady(lease: Lease): Promise<void> {
    const { signal } = this.#ending;
    for (const conversationId of this.#ready()) {
      if (!lease.isHeld() || this.#options.clock.monotonic() < this.#pauseUntil) return;
      this.#due.delete(conversationId);
      await this.#summarise(conversationId, signal);
      await sleep(BREAK_MS, signal);
    }
  }

  async #summarise(conversationId: string, signal: AbortSignal): Promise<void> {
    const { summaries, conversations } = this.#options;
    if (!(await conversations.exists(conversationId))) return;
    for (const level of LEVELS) {
      const { problem } = await summaries.get(conversationId, level, { usesModels: true, signal });
      if (problem === undefined) continue;
      this.#options.log.warn({ err: problem, conversationId }, 'a summary could not be made');
      this.#pause();
      return;
    }
  }

  /** What is older than its conversation by the clock; `get` then compares the content. */
  async #listOnce(): Promise<void> {
    if (this.#hasListed) return;
    for (const { conversationId, updatedAt } of await this.#options.conversations.list()) {
      this.#ending.signal.throwIfAborted();
      const stored = await this.#options.store.get(conversationId).catch(() => undefined);
      const isCurrent = LEVELS.every((level) => (stored?.[level]?.generatedAt ?? '') >= updatedAt);
      // A conversation that cannot be read is skipped until it is repaired.
      if (stored !== undefined && !isCurrent && !this.#due.has(conversationId)) {
        this.#due.set(conversationId, 0);
      }
    }
    this.#hasListed = true;
  }

  #ready(): string[] {
    const now = this.#options.clock.monotonic();
    return [...this.#due].flatMap(([id, due]) => (due <= now ? [id] : []));
  }

  #pause(): void {
    this.#pauseUntil = this.#options.clock.monotonic() + PAUSE_AFTER_FAILURE_MS;
  }
}

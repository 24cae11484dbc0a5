/**
 * Keeps summaries up to date in the background if the user has switched this on (`autoSummarise`): a
 * conversation without new messages for a while is summarised again, one conversation at a time. If several
 * server processes run, only the one with the lease does it, so that no summary is paid for twice.
 */
import { type Clock, sleep } from '../../base/clock.js';
import { type AppError, type ErrorCode, isAppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { type Lease, tryLease } from '../../files/locks/lease.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { SummaryLevel } from '../../stores/summaries/summary-file.js';
import type { SummaryStore } from '../../stores/summaries/summary-store.js';
import type { SummaryService } from './summary-service.js';

const LEVELS: readonly SummaryLevel[] = ['brief', 'standard'];
/** Without this delay, an active conversation would be summarised at every message. */
const QUIET_MS = 60_000;
const POLL_INTERVAL_MS = 10_000;
/** If a model fails, it will most likely fail for the next conversation too. */
const PAUSE_AFTER_FAILURE_MS = 10 * 60_000;
/** Errors of one conversation, which say nothing about the others. */
const UNREADABLE: readonly ErrorCode[] = [
  'CONVERSATION_NOT_FOUND',
  'CONVERSATION_CORRUPTED',
  'FORMAT_TOO_NEW',
  'DECRYPT',
];
/** Pause between two conversations, for other work of the process. */
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
  readonly pauseMs?: number;
}

export interface AutoSummaries {
  /** Cancels a running summary; stored summaries stay. */
  close(): Promise<void>;
}

/** Starts with the conversations that have no summary or have changed since. */
export function startAutoSummaries(options: AutoSummariesOptions): AutoSummaries {
  const runner = new Runner(options);
  const unfollow = options.conversations.followFromNow(({ conversationId, document }) =>
    runner.schedule(conversationId, document !== undefined),
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
  readonly #closing = new AbortController();
  /** By conversation: when it is due, on the monotonic clock. */
  readonly #due = new Map<string, number>();
  /** The conversations that are due because a model failed. */
  readonly #failed = new Set<string>();
  #working: Promise<void> | undefined;
  #hasListed = false;
  #pauseUntil = 0;

  constructor(options: AutoSummariesOptions) {
    this.#options = options;
  }

  schedule(conversationId: string, exists: boolean): void {
    const { clock, quietMs = QUIET_MS } = this.#options;
    this.#failed.delete(conversationId);
    if (exists) this.#due.set(conversationId, clock.monotonic() + quietMs);
    else this.#due.delete(conversationId);
  }

  workOnce(): void {
    this.#working ??= this.#work()
      .catch((error: unknown) => {
        if (this.#closing.signal.aborted) return;
        this.#options.log.warn({ err: error }, 'summaries were not made in the background');
        this.#pause();
      })
      .finally(() => {
        this.#working = undefined;
      });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    if (this.#options.clock.monotonic() < this.#pauseUntil) return;
    if (this.#hasListed && this.#ready().length === 0) return;
    const lease = await tryLease(this.#options.leasePath, this.#closing.signal);
    if (lease === undefined) return;
    try {
      await this.#listOnce();
      await this.#summariseReady(lease);
    } finally {
      await lease.release();
    }
  }

  async #summariseReady(lease: Lease): Promise<void> {
    const { signal } = this.#closing;
    for (const conversationId of this.#ready()) {
      if (!lease.isHeld() || this.#options.clock.monotonic() < this.#pauseUntil) return;
      this.#due.delete(conversationId);
      const problem = await this.#summarise(conversationId, signal).catch((error: unknown) =>
        this.#leaveOut(conversationId, error),
      );
      if (problem !== undefined && costsNothing(problem)) this.#tryAgain(conversationId);
      await sleep(BREAK_MS, signal);
    }
  }

  /** Until it changes, if it cannot be read. Throws all other errors: then all conversations wait. */
  #leaveOut(conversationId: string, error: unknown): undefined {
    if (isAppError(error) && error.retryable) this.#tryAgain(conversationId);
    if (!isAppError(error, ...UNREADABLE)) throw error;
    this.#options.log.warn({ err: error, conversationId }, 'a summary could not be made');
  }

  /** After the pause. */
  #tryAgain(conversationId: string): void {
    if (this.#due.has(conversationId)) return;
    this.#due.set(conversationId, this.#pauseUntil);
    this.#failed.add(conversationId);
  }

  async #summarise(conversationId: string, signal: AbortSignal): Promise<AppError | undefined> {
    const { summaries, conversations } = this.#options;
    if (!(await conversations.exists(conversationId))) return undefined;
    for (const level of LEVELS) {
      const request = { usesModels: true, isBackground: true, signal };
      const { problem } = await summaries.get(conversationId, level, request);
      // A remembered failure says nothing about the next conversation.
      if (problem === undefined || problem.details?.['isRemembered'] === true) continue;
      this.#options.log.warn({ err: problem, conversationId }, 'a summary could not be made');
      this.#pause();
      return problem;
    }
    return undefined;
  }

  /** Adds conversations with older summaries. `get` then compares the content. */
  async #listOnce(): Promise<void> {
    if (this.#hasListed) return;
    const listed = await this.#options.conversations.list();
    // The first reading of a conversation is reported like a change.
    const read = new Map(this.#due);
    for (const { conversationId, updatedAt } of listed) {
      this.#closing.signal.throwIfAborted();
      const stored = await this.#options.store.get(conversationId).catch(() => undefined);
      const isCurrent = LEVELS.every((level) => (stored?.[level]?.generatedAt ?? '') >= updatedAt);
      const due = this.#due.get(conversationId);
      if (isCurrent && due === read.get(conversationId)) this.#due.delete(conversationId);
      // A conversation that cannot be read is skipped until it is repaired.
      if (stored !== undefined && !isCurrent && due === undefined) {
        this.#due.set(conversationId, 0);
      }
    }
    this.#hasListed = true;
  }

  /** Those that failed come last, because most of them would fail again, which causes another pause. */
  #ready(): string[] {
    const now = this.#options.clock.monotonic();
    const ready = [...this.#due].flatMap(([id, due]) => (due <= now ? [id] : []));
    return ready.sort((a, b) => Number(this.#failed.has(a)) - Number(this.#failed.has(b)));
  }

  #pause(): void {
    const { clock, pauseMs = PAUSE_AFTER_FAILURE_MS } = this.#options;
    this.#pauseUntil = clock.monotonic() + pauseMs;
  }
}

/**
 * True if the model did no work for the failed request. It may answer later, also after a refusal that looks
 * final: the user can correct the key, the model or the account.
 */
const costsNothing = ({ details }: AppError): boolean =>
  details?.['outcome'] === 'not_sent' || details?.['outcome'] === 'refused';

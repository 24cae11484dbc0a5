/**
 * The queue of writes that cannot be done now, because the store is away (not available), read-only or full.
 * They wait in memory, up to a limit. When the store can be written again, each is done once, in order
 * (memory-bank/decisions/0067). A caller lets its write wait with the option `mayDefer`. The file deferred-*.ts of
 * each store says what its writes do.
 */

import { SharedRun } from '../../base/async/shared-run.js';
import { type Clock, isoTime, systemClock } from '../../base/clock.js';
import { AppError, appErrorOf, isAppError } from '../../base/errors.js';
import { type Log, silentLog } from '../../base/log.js';
import type { Presence } from '../../files/store-presence.js';
import { Retry } from './retry.js';
import { meansUnavailable, whatToDoAbout } from './unavailable-errors.js';

const MAX_WRITES = 1000;
const MAX_BYTES = 32 * 1024 * 1024;

/** A write whose caller got `durable: false`. */
export interface WaitingWrite {
  /** Describes, for the log, the data that would be lost. It contains no content of the user. */
  readonly name: string;
  readonly bytes: number;
  /** Durable when it resolves. Repeated after an error: it must detect what an attempt wrote. */
  write(): Promise<void>;
  /** Called once, after the write was done or refused for good. */
  ended(): Promise<void> | void;
}

export interface Unwritten {
  readonly name: string;
  /** Why the write was refused, although the store is available again; absent if it still waits. */
  readonly reason?: string;
}

export interface WriteQueueState {
  readonly isAway: boolean;
  readonly reason: string;
  readonly whatToDo: string;
  readonly since: string;
  readonly waiting: number;
  readonly refused: readonly Unwritten[];
}

export interface WriteQueueOptions {
  /** If absent, writes never wait. */
  readonly presence: Presence | undefined;
  /** Makes a test write in the store, and throws if it fails. */
  readonly probe: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #queue: WaitingWrite[] = [];
  readonly #refused: Unwritten[] = [];
  readonly #drains = new SharedRun(() => this.#drain());
  readonly #retry = new Retry(
    async () => (await this.settle()) && this.#returns === this.#absences,
  );
  readonly #refreshes: (() => Promise<void>)[] = [];
  #bytes = 0;
  /** The last call of `enqueue`, because writes are added to the queue one after the other. */
  #lastEnqueue: Promise<unknown> = Promise.resolve();
  #lastFailure: Pick<WriteQueueState, 'reason' | 'whatToDo' | 'since'> | undefined;
  /** How often the store was found to be away, and how many of these times `whenBack` was done for. */
  #absences = 0;
  #returns = 0;
  #isClosed = false;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  /** Must be called when the store was found to be away. */
  noticeAway(): void {
    const { presence } = this.#options;
    this.#absences += 1;
    if (presence) this.#note(presence.error());
    this.#retry.start();
  }

  /**
   * Registers `refresh`, which compares memory with the disk. It is called when the store is available again.
   */
  whenBack(refresh: () => Promise<void>): void {
    this.#refreshes.push(refresh);
  }

  /** Returns `undefined` unless the store is away, a write waits, or a write was refused. */
  state(): WriteQueueState | undefined {
    const isAway = this.isAway;
    if (!isAway && this.#queue.length === 0 && this.#refused.length === 0) return undefined;
    const { reason = 'a write was refused', since = '', whatToDo = '' } = this.#lastFailure ?? {};
    const now = isAway ? this.#options.presence?.error() : undefined;
    return {
      isAway,
      reason: now?.message ?? reason,
      whatToDo: now?.hint ?? whatToDo,
      since,
      waiting: this.#queue.length,
      refused: [...this.#refused],
    };
  }

  /** False if no write ever waits, because the process ends while the store is away. */
  get mayWait(): boolean {
    return this.#options.presence !== undefined;
  }

  get isAway(): boolean {
    return this.#options.presence?.isHere() === false;
  }

  /** Throws STORAGE_UNAVAILABLE while the store is away. */
  requireHere(): void {
    this.#options.presence?.require();
  }

  /** Calls `check`. Its error is ignored while the store is away. */
  unlessAway(check: () => void): void {
    try {
      check();
    } catch (error) {
      if (!this.isAway) throw error;
    }
  }

  /**
   * Called before a change that cannot wait and must not be done before the waiting writes.
   * STORAGE_UNAVAILABLE if a write waits and cannot be done yet.
   */
  async requireSettled(): Promise<void> {
    if (await this.settle()) return;
    const { reason = '', whatToDo: hint } = this.#lastFailure ?? {};
    const why = reason.replace(/\.$/, '');
    const message = `Nothing was changed: the store cannot be written (${why}), and earlier writes still wait in memory.`;
    throw new AppError('STORAGE_UNAVAILABLE', message, {
      ...(hint !== undefined && { hint }),
      details: { reason },
    });
  }

  /** Returns the writes that were not done; the list is complete after `close`. */
  unwritten(): readonly Unwritten[] {
    return [...this.#refused, ...this.#queue.map(({ name }) => ({ name }))];
  }

  /** Calls `enqueue` instead of `write` if an earlier write waits or the store cannot be written. */
  async run<T>(write: () => Promise<T>, enqueue: () => Promise<T>): Promise<T> {
    if (!this.mayWait) return write();
    if (this.#queue.length > 0) await this.settle();
    if (this.#queue.length > 0) return this.#enqueueInOrder(enqueue);
    try {
      return await write();
    } catch (error) {
      return this.enqueueAfter(error, enqueue);
    }
  }

  /** After a failed write: calls `enqueue`, or throws `error` if the store is available. */
  async enqueueAfter<T>(error: unknown, enqueue: () => Promise<T>): Promise<T> {
    if (!this.mayWait || !(await this.#isAwayBecauseOf(error))) throw error;
    this.#note(error);
    return this.#enqueueInOrder(enqueue);
  }

  /** `enqueue` must call this before it changes anything. STORAGE_UNAVAILABLE if the queue is full. */
  requireRoom(bytes: number): void {
    if (this.#queue.length < MAX_WRITES && this.#bytes + bytes <= MAX_BYTES) return;
    const { reason = '', whatToDo: hint } = this.#lastFailure ?? {};
    const why = reason.replace(/\.$/, '');
    throw new AppError(
      'STORAGE_UNAVAILABLE',
      `Nothing was saved: ${this.#queue.length} writes already wait in memory, and there is no room for more (${why}).`,
      {
        ...(hint !== undefined && { hint }),
        details: { waiting: this.#queue.length, bytes: this.#bytes },
      },
    );
  }

  add(write: WaitingWrite): void {
    this.#queue.push(write);
    this.#bytes += write.bytes;
    this.#retry.start();
  }

  /** Does the waiting writes. Returns true if none is left, and false while the store is away. */
  async settle(): Promise<boolean> {
    if (this.#isClosed) return this.#queue.length === 0;
    if (!this.isAway && this.#returns < this.#absences) await this.#refresh();
    if (this.isAway) return false;
    if (this.#queue.length > 0) await this.#drains.run();
    if (this.#queue.length > 0) return false;
    if (this.#refused.length === 0) this.#lastFailure = undefined;
    return true;
  }

  /**
   * Tries all waiting writes once more. One that fails does not stop those after it: on a full disk a short
   * one may fit although a long one does not. Must be called before the stores are closed.
   */
  async close(): Promise<void> {
    this.#retry.stop();
    await this.settle().catch(() => false);
    this.#isClosed = true; // from now on no call does the waiting writes at the same time as the line below
    if (!this.isAway) await this.#drain({ isLast: true }).catch(() => undefined);
  }

  /** A part of the store that cannot be read does not stop the others. The next call tries it again. */
  async #refresh(): Promise<void> {
    const absences = this.#absences; // the store may go away again meanwhile
    let areAllDone = true;
    for (const refresh of this.#refreshes) {
      const err = await appErrorOf(refresh);
      if (err === undefined) continue;
      areAllDone = false;
      this.#options.log.warn({ err }, 'a part of the store could not be read after it was away');
    }
    if (areAllDone) this.#returns = absences;
  }

  #enqueueInOrder<T>(enqueue: () => Promise<T>): Promise<T> {
    const added = this.#lastEnqueue.then(enqueue);
    this.#lastEnqueue = added.catch(() => undefined);
    return added;
  }

  async #isAwayBecauseOf(error: unknown): Promise<boolean> {
    const answer = meansUnavailable(error);
    if (answer !== 'maybe') return answer === 'yes';
    if (this.isAway) return true;
    try {
      await this.#options.probe();
      return false;
    } catch (failure) {
      return meansUnavailable(failure) !== 'no';
    }
  }

  #note(error: unknown): void {
    const { since = isoTime(this.#options.clock.now()) } = this.#lastFailure ?? {};
    this.#lastFailure = { reason: messageOf(error), whatToDo: whatToDoAbout(error), since };
  }

  /** `isLast`: a write that does not fit on the disk stays in the queue, and the next one is tried. */
  async #drain({ isLast } = { isLast: false }): Promise<void> {
    let at = 0;
    for (let write = this.#queue[at]; write !== undefined; write = this.#queue[at]) {
      try {
        await write.write();
      } catch (error) {
        const isRefused = meansUnavailable(error) === 'no' && !isAppError(error, 'LOCKED');
        if (!isRefused) {
          this.#note(error);
          if (!isLast || !isAppError(error, 'STORAGE_FULL')) return;
          at += 1;
          continue;
        }
        this.#refused.push({ name: write.name, reason: messageOf(error) });
        this.#options.log.error({ err: error, write: write.name }, 'a write that waited was lost');
      }
      this.#queue.splice(at, 1);
      this.#bytes -= write.bytes;
      await write.ended();
    }
  }
}

/** For a store whose writes never wait. */
export const unusedQueue = (): WriteQueue =>
  new WriteQueue({
    presence: undefined,
    clock: systemClock,
    log: silentLog,
    probe: () => Promise.resolve(),
  });

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

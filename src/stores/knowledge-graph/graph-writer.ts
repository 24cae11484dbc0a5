/**
 * Writes changes to the log. Requests that wait at the same time are applied together, under the lock and
 * to the newest state, and written with one append. After a failed append the file is read again, and its
 * content decides which of the calls succeeded.
 */
import { type AppError, appErrorOf, isAppError } from '../../base/errors.js';
import type { AppendHandle } from '../../files/atomic/append-file.js';
import { GroupCommit, type Outcome } from '../../files/atomic/group-commit.js';
import { type HeldLock, LockLostError } from '../../files/locks/file-lock.js';
import type { RetainedLock } from '../../files/locks/retained-lock.js';
import { toStoredLines } from '../../files/sealing/open-stores.js';
import type { GraphState } from './graph-state.js';
import { encodeHead } from './log/operation-line.js';
import { NAME_LENGTH } from './log/replay.js';
import type { Change, ChangeRequest, PendingOperation } from './table/change-types.js';
import type { Changes } from './table/changes.js';
import { findKey } from './table/triple-table.js';

interface Planned {
  readonly outcome: Outcome<Change>;
  readonly pending: readonly PendingOperation[];
}

export interface WriterParts {
  readonly state: GraphState;
  readonly changes: Changes;
  readonly lock: RetainedLock;
  readonly end: AppendHandle;
  /** Runs once before the first append of this process. */
  readonly prepare: () => Promise<void>;
  /** If it throws, no facts are added, but facts can still be ended and deleted. */
  readonly requireRoom?: (() => Promise<void>) | undefined;
  /** Called after each commit with the size of the log. */
  readonly afterCommit: (logBytes: number) => void;
}

export class GraphWriter {
  readonly #parts: WriterParts;
  readonly #commits: GroupCommit<ChangeRequest, Change>;
  #isPrepared = false;
  /** The lock under which the last append was made. */
  #lastLock: HeldLock | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#commits = new GroupCommit((requests) =>
      parts.lock.run((lock) => this.#commit(requests, lock)),
    );
  }

  /** In the log when it resolves; with `fsync`, durable. E_KG_FULL, STORAGE_FULL, FILESYSTEM_ERROR, LOCKED. */
  change(request: ChangeRequest): Promise<Change> {
    return this.#commits.add(request);
  }

  async #commit(
    requests: readonly ChangeRequest[],
    lock: HeldLock,
  ): Promise<readonly Outcome<Change>[]> {
    const { state, changes, end, afterCommit } = this.#parts;
    state.requireHere(); // before the table is changed
    const refusal = await this.#refusal(requests);
    // If we have kept the lock since our last append, no other process can have appended.
    const isKept = this.#lastLock === lock && !state.isUpdating && !state.isInvalid;
    this.#lastLock = undefined;
    if (!isKept) await this.#catchUp();
    const { table } = state.content;
    const planned = requests.map((request): Planned => {
      const pending: PendingOperation[] = [];
      if (refusal !== undefined && request.kind === 'add') {
        return { outcome: { error: refusal }, pending };
      }
      try {
        return { outcome: { value: changes.applyRequest(table, request, pending) }, pending };
      } catch (error) {
        return { outcome: { error }, pending };
      }
    });
    try {
      const bytes = Buffer.from(this.#textOf(planned));
      if (bytes.length === 0) return planned.map(({ outcome }) => outcome);
      const stamp = await end.append(bytes, lock, isKept);
      if (stamp === undefined)
        throw new LockLostError('the lock was lost, or the log was replaced');
      state.appended(bytes, stamp);
      this.#lastLock = lock;
      afterCommit(state.position.offset);
    } catch (error) {
      state.invalidate();
      if (error instanceof LockLostError) throw error;
      return await this.#outcomesOnDisk(planned, error);
    }
    if (state.hasListeners) {
      state.notify(new Set(planned.flatMap(({ pending }) => pending.map(({ key }) => key.s))));
    }
    return planned.map(({ outcome }) => outcome);
  }

  /** Returns the error if no facts can be added. */
  async #refusal(requests: readonly ChangeRequest[]): Promise<AppError | undefined> {
    const { requireRoom } = this.#parts;
    if (requireRoom === undefined || !requests.some(({ kind }) => kind === 'add')) return undefined;
    return appErrorOf(requireRoom);
  }

  async #catchUp(): Promise<void> {
    const { state, prepare } = this.#parts;
    const wasPrepared = this.#isPrepared;
    if (!wasPrepared) await prepare();
    this.#isPrepared = true;
    do await state.update();
    while (state.isUpdating);
    // A checkout of git may have removed the log, and with it the rules by which git merges the next one.
    if (wasPrepared && state.position.offset === 0) await prepare();
    await state.recordDamage();
  }

  #textOf(planned: readonly Planned[]): string {
    const { position, content, files } = this.#parts.state;
    const plain = planned.flatMap(({ pending }) => pending.map(({ line }) => line)).join('');
    // Each line, also a sealed one, begins with a line feed.
    const lines = plain && `\n${toStoredLines(files.wal, plain.slice(1))}`;
    if (lines === '' || position.offset > 0) return lines;
    return `\n${encodeHead(content.sha256?.slice(0, NAME_LENGTH))}${lines}`;
  }

  /** Reads the file to find the outcome of each request after a failed append. */
  async #outcomesOnDisk(
    planned: readonly Planned[],
    error: unknown,
  ): Promise<readonly Outcome<Change>[]> {
    const { state } = this.#parts;
    try {
      await state.update();
    } catch {
      return planned.map(({ outcome, pending }) => (pending.length === 0 ? outcome : { error }));
    }
    const isUnconfirmed = isAppError(error) && error.details?.['unconfirmed'] === true;
    const { table } = state.content;
    return planned.map(({ outcome, pending }) => {
      const isThere = pending.every(({ names, operation }) => {
        const key = findKey(table, names); // the table was read again and has other term ids
        return key !== undefined && table.holds(key, operation);
      });
      return isThere && !(isUnconfirmed && pending.length > 0) ? outcome : { error };
    });
  }
}

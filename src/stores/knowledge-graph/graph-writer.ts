/**
 * Changes on their way to the log: what waits together is worked out together, under the lock and on
 * the newest state, and written with one append. What is in the file is the state; so where an append
 * fails, the file is read again and decides which of the calls succeeded.
 */
import { isAppError } from '../../base/errors.js';
import { GroupCommit, type Outcome } from '../../files/group-commit.js';
import type { AppendEnd } from '../../files/growing-file.js';
import { Deposed, type HeldLock } from '../../files/held-lock.js';
import type { KeptLock } from '../../files/kept-lock.js';
import { type Change, type ChangeRequest, type Changes, findKey, type Written } from './changes.js';
import { NAME_LENGTH } from './graph-reader.js';
import type { GraphState } from './graph-state.js';
import { encodeHead } from './operation-line.js';

interface Planned {
  readonly outcome: Outcome<Change>;
  readonly written: readonly Written[];
}

export interface WriterParts {
  readonly state: GraphState;
  readonly changes: Changes;
  readonly lock: KeptLock;
  readonly end: AppendEnd;
  /** Runs once before the first append of this process. */
  readonly prepare: () => Promise<void>;
  /** After each commit, with the size of the log. */
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

  /** Resolves when it is in the log (with `fsync`: on disk). E_KG_FULL, STORAGE_FULL, FILESYSTEM_ERROR, LOCKED. */
  change(request: ChangeRequest): Promise<Change> {
    return this.#commits.add(request);
  }

  async #commit(
    requests: readonly ChangeRequest[],
    lock: HeldLock,
  ): Promise<readonly Outcome<Change>[]> {
    const { state, changes, end, afterCommit } = this.#parts;
    // Nobody else can have added anything since our own last append; hand edits are met by readers.
    const isKept = this.#lastLock === lock && !state.isUpdating;
    this.#lastLock = undefined;
    if (!isKept) await this.#catchUp();
    const { table } = state.content;
    const planned = requests.map((request): Planned => {
      const written: Written[] = [];
      try {
        return { outcome: { value: changes.carryOut(table, request, written) }, written };
      } catch (error) {
        return { outcome: { error }, written };
      }
    });
    const bytes = Buffer.from(this.#textOf(planned));
    if (bytes.length === 0) return planned.map(({ outcome }) => outcome);
    try {
      const stamp = await end.append(bytes, lock, isKept);
      if (stamp === undefined) throw new Deposed('the lock or the log was taken away');
      state.appended(bytes, stamp);
      this.#lastLock = lock;
      afterCommit(state.position.offset);
    } catch (error) {
      state.invalidate();
      if (error instanceof Deposed) throw error;
      return await this.#outcomesOnDisk(planned, error);
    }
    if (state.hasListeners) {
      state.tell(new Set(planned.flatMap(({ written }) => written.map(({ key }) => key.s))));
    }
    return planned.map(({ outcome }) => outcome);
  }

  async #catchUp(): Promise<void> {
    const { state, prepare } = this.#parts;
    if (!this.#isPrepared) await prepare();
    this.#isPrepared = true;
    do await state.update();
    while (state.isUpdating);
  }

  #textOf(planned: readonly Planned[]): string {
    const { position, content } = this.#parts.state;
    const lines = planned.flatMap(({ written }) => written.map(({ line }) => line)).join('');
    if (lines === '' || position.offset > 0) return lines;
    return `\n${encodeHead(content.sha256?.slice(0, NAME_LENGTH))}${lines}`;
  }

  /** After a failed append some lines may be in the file and others not. */
  async #outcomesOnDisk(
    planned: readonly Planned[],
    error: unknown,
  ): Promise<readonly Outcome<Change>[]> {
    const { state } = this.#parts;
    try {
      await state.update();
    } catch {
      return planned.map(({ outcome, written }) => (written.length === 0 ? outcome : { error }));
    }
    const isUnconfirmed = isAppError(error) && error.details?.['unconfirmed'] === true;
    const { table } = state.content;
    return planned.map(({ outcome, written }) => {
      const isThere = written.every(({ names, operation }) => {
        const key = findKey(table, names); // the table is a new one, with other numbers
        return key !== undefined && table.holds(key, operation);
      });
      return isThere && !(isUnconfirmed && written.length > 0) ? outcome : { error };
    });
  }
}

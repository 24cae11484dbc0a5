/**
 * Keeps the graph in memory up to date with the files. Operations that other processes append are read
 * from the end of the log, also after one of them compacted it. After any other change (git, an editor)
 * all files are read again. Memory is compared with the files at the first query of each callback of the event
 * loop, so all queries of a request that do not wait for anything else need one comparison.
 */
import { isAppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { isSameStamp, readStampNow, type Stamp } from '../../files/read/stamp.js';
import type { WriteQueue } from '../deferred-writes/write-queue.js';
import { followCompaction, followLog, type LoadedFiles } from './log/follow-log.js';
import type { GraphFiles } from './log/graph-files.js';
import { LineScanner } from './log/line-scanner.js';
import { recordRejects } from './log/rejects.js';
import {
  type Damage,
  type GraphContent,
  GUARD_BYTES,
  type LogPosition,
  readGraph,
} from './log/replay.js';
import type { TripleTable } from './table/triple-table.js';

/**
 * Called with the term ids of the subjects whose facts changed; `undefined` if any subject may have changed.
 */
export type StateListener = (subjects: ReadonlySet<number> | undefined) => void;

export class GraphState {
  /**
   * The number of writes of this process to any graph. A write can happen in the same callback.
   */
  static #writes = 0;
  readonly files: GraphFiles;
  readonly #log: Log;
  readonly #queue: WriteQueue;
  #content: GraphContent | undefined;
  /** The end of the part of the log that is in memory. Newer than `#content.log`. */
  #position: LogPosition | undefined;
  #updating: Promise<void> | undefined;
  #isFresh = false;
  #writesSeen = 0;
  #damagedLines = 0;
  /** Damaged lines that are not in the rejects file yet. Only writers record them. */
  #unrecorded: Damage[] = [];
  /** Why the damaged lines could not be recorded. */
  #recordingProblem: string | undefined;
  readonly #listeners = new Set<StateListener>();
  #onRead: (table: TripleTable) => void = () => undefined;

  constructor(files: GraphFiles, log: Log, queue: WriteQueue) {
    this.#queue = queue;
    this.files = files;
    this.#log = log;
  }

  /** The table, if it was compared with the files in this callback of the event loop. */
  get freshTable(): TripleTable | undefined {
    const isFresh = this.#isFresh && this.#writesSeen === GraphState.#writes;
    return isFresh && this.#updating === undefined ? this.#content?.table : undefined;
  }

  /** The content of the files. Throws before the first `update()`. */
  get content(): GraphContent {
    if (this.#content === undefined) throw new Error('the graph was not read yet');
    return this.#content;
  }

  get position(): LogPosition {
    return this.#position ?? this.content.log;
  }

  get damagedLines(): number {
    return this.#damagedLines;
  }

  /** STORAGE_UNAVAILABLE while the store is away. */
  requireHere(): void {
    this.#queue.requireHere();
  }

  /** True after `invalidate`, until the files were read again. */
  get isInvalid(): boolean {
    return this.#position?.offset === -1;
  }

  get isUpdating(): boolean {
    return this.#updating !== undefined;
  }

  /**
   * Returns the table with the present content of the files; while the store is away, with the last content.
   * FILESYSTEM_ERROR, FORMAT_TOO_NEW, STORAGE_UNAVAILABLE.
   */
  async current(): Promise<TripleTable> {
    const fresh = this.freshTable;
    if (fresh !== undefined) return fresh;
    const writes = GraphState.#writes;
    await this.update().catch((error: unknown) => {
      if (!this.#queue.isAway || this.#content === undefined) throw error;
    });
    this.#isFresh = true;
    this.#writesSeen = writes;
    // Not `setImmediate`: the next callback may be a request that was sent after another process has written.
    process.nextTick(() => {
      this.#isFresh = false;
    });
    return this.content.table;
  }

  /** Registers `onRead`, which is called after all files were read, before any query uses the table. */
  whenRead(onRead: (table: TripleTable) => void): void {
    this.#onRead = onRead;
  }

  /** Reads the operations that are in the files and not in memory. STORAGE_UNAVAILABLE, FILESYSTEM_ERROR. */
  async update(): Promise<void> {
    while (this.#updating !== undefined) await this.#updating;
    this.requireHere();
    if (this.#isUpToDate()) return;
    this.#updating = this.#load().finally(() => {
      this.#updating = undefined;
    });
    await this.#updating;
  }

  /** Must be called after a write with an unknown outcome. The next update reads all files. */
  invalidate(): void {
    this.#position = { stamp: undefined, offset: -1, guard: Buffer.alloc(0) };
    this.#isFresh = false;
  }

  /** Must be called after this process appended lines to the file that are already in memory. */
  appended(bytes: Buffer, stamp: Stamp): void {
    this.#wrote();
    const offset = this.position.offset + bytes.length;
    // If the size differs, a process that lost the lock appended a line before ours. The next update reads
    // it.
    if (stamp.size !== BigInt(offset)) return;
    this.#position = { stamp, offset, guard: endOf(this.position.guard, bytes) };
  }

  /** Must be called after a compaction of this process wrote these files. */
  replaced(files: LoadedFiles): void {
    this.#wrote();
    this.#adopt(files);
  }

  /** The table already has the content of these files. */
  #adopt({ snapshot, sidecar, position }: LoadedFiles): void {
    this.#content = {
      table: this.content.table,
      snapshot,
      sidecar,
      sha256: sidecar.sha256,
      log: position,
      damage: [],
      notices: [],
      needsHealing: false,
      lacksSnapshot: false,
    };
    this.#position = position;
  }

  get isRead(): boolean {
    return this.#content !== undefined;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  subscribe(listener: StateListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(subjects: ReadonlySet<number> | undefined): void {
    if (subjects?.size === 0) return;
    for (const listener of this.#listeners) listener(subjects);
  }

  /** Notes a write: this graph has it in memory, other graphs of this process must read the files. */
  #wrote(): void {
    const isFresh = this.#writesSeen === GraphState.#writes;
    GraphState.#writes += 1;
    if (isFresh) this.#writesSeen = GraphState.#writes;
  }

  #isUpToDate(): boolean {
    if (this.#content === undefined) return false;
    return (
      isSameStamp(this.position.stamp, readStampNow(this.files.wal)) &&
      this.position.offset !== -1 &&
      isSameStamp(this.#content.snapshot, readStampNow(this.files.snapshot))
    );
  }

  async #load(): Promise<void> {
    const isFirst = this.#content === undefined;
    if (!isFirst && this.position.offset > 0 && (await this.#followLog())) return;
    const content = await readGraph(this.files);
    this.requireHere(); // without this check, missing files would look like an empty graph
    this.#content = content;
    this.#onRead(content.table);
    this.#position = undefined;
    this.#damagedLines = content.damage.length;
    for (const notice of content.notices) this.#log.warn({ store: 'kg' }, notice);
    this.#unrecorded = [...content.damage];
    if (!isFirst) this.notify(undefined);
  }

  /** Returns false if the files changed in another way than by appended lines or a compaction. */
  async #followLog(): Promise<boolean> {
    const { wal } = this.files;
    const scanner = new LineScanner(this.content.table, wal);
    scanner.changed = this.#listeners.size > 0 ? new Set() : undefined;
    if (!(await this.#tailWith(scanner))) return false;
    this.#damagedLines += scanner.damaged.length;
    for (const line of scanner.damaged) this.#unrecorded.push({ ...line, path: wal });
    this.notify(scanner.changed);
    return true;
  }

  async #tailWith(scanner: LineScanner): Promise<boolean> {
    const { files } = this;
    const { snapshot, table } = this.content;
    const isSameSnapshot = () => isSameStamp(snapshot, readStampNow(files.snapshot));
    const next = isSameSnapshot() ? await followLog(files.wal, this.position, scanner) : undefined;
    this.#position = next ?? this.position;
    if (next !== undefined && isSameSnapshot()) return true;
    const adopted = await followCompaction(files, snapshot, this.position, scanner);
    if (adopted === undefined) return false;
    table.forgetDeletions(adopted.sidecar.compaction?.forgotten ?? 0);
    this.#adopt(adopted);
    return true;
  }

  /**
   * Writes the damaged lines to the rejects file. Only for writers, under the lock. If that fails, the graph
   * stays usable, and `notices` has the error.
   */
  async recordDamage(): Promise<void> {
    if (this.#unrecorded.length === 0) return;
    try {
      await recordRejects(this.files.rejects, this.#unrecorded);
      this.#unrecorded = [];
      this.#recordingProblem = undefined;
    } catch (error) {
      this.#log.warn({ err: error }, 'damaged lines of the knowledge graph could not be copied');
      if (!isAppError(error)) throw error;
      this.#recordingProblem = `The damaged lines could not be copied to another file: ${error.message}`;
    }
  }

  /** Sentences for users about faults in the files and what Daybook did about them. */
  get notices(): readonly string[] {
    const { notices } = this.content;
    return this.#recordingProblem === undefined ? notices : [...notices, this.#recordingProblem];
  }
}

function endOf(before: Buffer, bytes: Buffer): Buffer {
  if (bytes.length >= GUARD_BYTES) return Buffer.from(bytes.subarray(-GUARD_BYTES));
  return Buffer.concat([before, bytes]).subarray(-GUARD_BYTES);
}

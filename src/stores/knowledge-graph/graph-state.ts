/**
 * The graph in memory and how it keeps up with the files: what other processes add is read from the
 * log's new end, also where one of them compacted; anything else that changed (git, an editor) means
 * reading all again.
 * The files are what counts; memory is looked at against them once a turn of the event loop, before
 * anything that came from outside can be acted on.
 */
import type { Log } from '../../base/log.js';
import { isSameStamp, readStampNow, type Stamp } from '../../files/stamp.js';
import { type Adopted, followCompaction, followLog } from './follow.js';
import type { GraphFiles } from './graph-files.js';
import { type GraphContent, type LogPosition, readGraph } from './graph-reader.js';
import { LineScanner } from './line-scanner.js';
import { recordRejects } from './rejects.js';
import type { TripleTable } from './triple-table.js';

const GUARD_BYTES = 64;

/** What changed: the numbers of the subjects in question, or `undefined` where it may be anything. */
export type StateListener = (subjects: ReadonlySet<number> | undefined) => void;

export class GraphState {
  /** Writes of this process, through whichever graph: no turn of the event loop lies between those. */
  static #writes = 0;
  readonly files: GraphFiles;
  readonly #log: Log;
  #content: GraphContent | undefined;
  /** How far the log is in memory; newer than the content's own. */
  #position: LogPosition | undefined;
  #updating: Promise<void> | undefined;
  #isFresh = false;
  #writesSeen = 0;
  #damagedLines = 0;
  readonly #listeners = new Set<StateListener>();

  constructor(files: GraphFiles, log: Log) {
    this.files = files;
    this.#log = log;
  }

  /** The table, where it was compared with the files in this turn of the event loop. */
  get freshTable(): TripleTable | undefined {
    const isFresh = this.#isFresh && this.#writesSeen === GraphState.#writes;
    return isFresh && this.#updating === undefined ? this.#content?.table : undefined;
  }

  /** After `update()`. */
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

  get isUpdating(): boolean {
    return this.#updating !== undefined;
  }

  /** The table as the files have it now. FILESYSTEM_ERROR, FORMAT_TOO_NEW. */
  async current(): Promise<TripleTable> {
    const fresh = this.freshTable;
    if (fresh !== undefined) return fresh;
    const writes = GraphState.#writes;
    await this.update();
    this.#isFresh = true;
    this.#writesSeen = writes;
    setImmediate(() => {
      this.#isFresh = false;
    });
    return this.content.table;
  }

  /** Takes in what the files have and memory has not. */
  async update(): Promise<void> {
    while (this.#updating !== undefined) await this.#updating;
    if (this.#isUpToDate()) return;
    this.#updating = this.#takeIn().finally(() => {
      this.#updating = undefined;
    });
    await this.#updating;
  }

  /** After a write whose outcome is not known: the next look reads everything. */
  invalidate(): void {
    this.#position = { stamp: undefined, offset: -1, guard: Buffer.alloc(0) };
    this.#isFresh = false;
  }

  /** Our own lines, which are in memory already, are in the file now. */
  appended(bytes: Buffer, stamp: Stamp): void {
    this.#wrote();
    const offset = this.position.offset + bytes.length;
    // Otherwise a late line of a process that lost the lock lies in between, and is read at the next look.
    if (stamp.size !== BigInt(offset)) return;
    this.#position = { stamp, offset, guard: endOf(this.position.guard, bytes) };
  }

  /** Our own compaction put these files in place. */
  replaced(files: Adopted): void {
    this.#wrote();
    this.#adopt(files);
  }

  /** The table already is what these files say. */
  #adopt({ snapshot, sidecar, position }: Adopted): void {
    this.#content = {
      table: this.content.table,
      snapshot,
      sidecar,
      sha256: sidecar.sha256,
      log: position,
      damage: [],
      notices: [],
      needsHealing: false,
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

  tell(subjects: ReadonlySet<number> | undefined): void {
    if (subjects?.size === 0) return;
    for (const listener of this.#listeners) listener(subjects);
  }

  /** Our own memory has it already; that of others in this process has not. */
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

  async #takeIn(): Promise<void> {
    const isFirst = this.#content === undefined;
    if (!isFirst && this.position.offset > 0 && (await this.#follow())) return;
    this.#content = await readGraph(this.files);
    this.#position = undefined;
    this.#damagedLines = this.#content.damage.length;
    for (const notice of this.#content.notices) this.#log.warn({ store: 'kg' }, notice);
    await this.#keep(this.#content.damage);
    if (!isFirst) this.tell(undefined);
  }

  /** False where the files are not what is in memory and something added. */
  async #follow(): Promise<boolean> {
    const { wal } = this.files;
    const scanner = new LineScanner(this.content.table, wal);
    scanner.changed = this.#listeners.size > 0 ? new Set() : undefined;
    if (!(await this.#followWith(scanner))) return false;
    this.#damagedLines += scanner.damaged.length;
    await this.#keep(scanner.damaged.map((line) => ({ ...line, path: wal })));
    this.tell(scanner.changed);
    return true;
  }

  async #followWith(scanner: LineScanner): Promise<boolean> {
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

  /** Not being able to keep rejects must not keep anybody from the sound facts. */
  async #keep(damage: GraphContent['damage']): Promise<void> {
    if (damage.length === 0) return;
    await recordRejects(this.files.rejects, damage).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'damaged lines of the knowledge graph were not kept');
    });
  }
}

function endOf(before: Buffer, bytes: Buffer): Buffer {
  if (bytes.length >= GUARD_BYTES) return Buffer.from(bytes.subarray(-GUARD_BYTES));
  return Buffer.concat([before, bytes]).subarray(-GUARD_BYTES);
}

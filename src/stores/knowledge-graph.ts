/**
 * The knowledge graph: facts as triples with times, kept in a snapshot and a log that git can merge,
 * answered from memory. Several processes share one graph; each sees the others' facts and the limit
 * holds over all of them. docs/FORMAT.md has the files, `knowledge-graph/` the parts.
 */
import { basename, dirname } from 'node:path';
import { Breath } from '../base/breath.js';
import { type Clock, systemClock } from '../base/clock.js';
import { type Log, silentLog } from '../base/log.js';
import { type Durability, makeFolder, sweepTemporaries } from '../files/atomic-write.js';
import { sweepLocks } from '../files/file-lock.js';
import { AppendEnd } from '../files/growing-file.js';
import { KeptLock } from '../files/kept-lock.js';
import { Changes, type Limits, tripleOf } from './knowledge-graph/changes.js';
import { type CompactionParts, compact, type Saved } from './knowledge-graph/compaction.js';
import { type GraphFiles, graphFiles } from './knowledge-graph/graph-files.js';
import {
  listSubjects,
  matchingRows,
  type Page,
  type Present,
  queryTriples,
  type Sight,
  type SubjectCount,
  type TripleFilter,
  type Triples,
} from './knowledge-graph/graph-query.js';
import { GraphState } from './knowledge-graph/graph-state.js';
import { type GraphStats, statsOf } from './knowledge-graph/graph-stats.js';
import { GraphWriter } from './knowledge-graph/graph-writer.js';
import { type Neighborhood, type Walk, walkFrom } from './knowledge-graph/neighbors.js';
import type { Watched } from './knowledge-graph/snapshot-text.js';
import { sortInSlices } from './knowledge-graph/sort-in-slices.js';
import {
  checkKey,
  checkTriple,
  type NewTriple,
  type Triple,
  type TripleKey,
} from './knowledge-graph/triple.js';
import { writeGitFiles } from './memory-bank-git-files.js';

/** A log below this is not worth a new snapshot. */
const MIN_LOG_BYTES = 1_000_000;
/** How often the files are looked at for subscribers while nobody asks anything. */
const FOLLOW_MS = 500;
const PAGE = 1_000;
/** A snapshot that is damaged and was written this recently may be one that somebody is saving. */
const SETTLED_MS = 2_000;

export interface KnowledgeGraphOptions extends Durability, Limits {
  readonly snapshotPath: string;
  /** On the file system of the snapshot. */
  readonly walPath: string;
  /** Whether each append waits for the disk; snapshots follow `fsync`. */
  readonly syncsAppends: boolean;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** A fact as it is stored now. */
export type AddedTriple = Triple & {
  /** False where the same open fact was there before. */
  readonly added: boolean;
};

export interface Added {
  readonly triples: readonly AddedTriple[];
  /** The facts that `replaces` ended. */
  readonly closed: readonly Triple[];
}

/** The newest fact of a triple as it was; `ts` is 0 where there was none. */
export type RemovedTriple = Triple & { readonly removed: boolean };

/** Which subjects a change was about; `undefined` where it may be any. */
export type GraphListener = (subjects: ReadonlySet<string> | undefined) => void;

export class KnowledgeGraph {
  readonly files: GraphFiles;
  readonly #options: KnowledgeGraphOptions;
  readonly #state: GraphState;
  readonly #changes: Changes;
  readonly #writer: GraphWriter;
  readonly #compaction: CompactionParts;
  readonly #lock: KeptLock;
  readonly #end: AppendEnd;
  readonly #clock: Clock;
  readonly #log: Log;
  #saving: Promise<Saved | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KnowledgeGraphOptions) {
    const { clock = systemClock, log = silentLog, fsync } = options;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.files = graphFiles(options.snapshotPath, options.walPath);
    this.#state = new GraphState(this.files, log);
    this.#changes = new Changes(options, clock);
    this.#lock = new KeptLock(this.files.locks, 'kg');
    this.#end = new AppendEnd(this.files.wal, { fsync: options.syncsAppends });
    this.#compaction = { state: this.#state, lock: this.#lock, end: this.#end, clock, fsync };
    this.#writer = new GraphWriter({
      state: this.#state,
      changes: this.#changes,
      lock: this.#lock,
      end: this.#end,
      prepare: () => this.#prepare(),
      afterCommit: (logBytes) => this.#compactIfDue(logBytes),
    });
  }

  /**
   * Adds facts, all of a call or none. A fact that is there already stays as it is and says so. With
   * `replaces`, what is open of the same subjects and predicates ends when the new facts begin. `ts`
   * and `validTo` may be given to bring back what is known from elsewhere. `room`: what is to fit, these
   * facts and those that are to follow. Resolves when it is in the log, on disk with `syncsAppends`.
   * E_KG_INVALID_TRIPLE, E_KG_FULL (nothing was written),
   * STORAGE_FULL, FILESYSTEM_ERROR, LOCKED.
   */
  async add(
    triples: readonly NewTriple[],
    { replaces = false, room = triples }: { replaces?: boolean; room?: readonly NewTriple[] } = {},
  ): Promise<Added> {
    for (const triple of triples) checkTriple(triple);
    const change = await this.#writer.change({ kind: 'add', triples, replaces, room });
    const added = change.triples.map(({ isChanged, ...triple }) => ({
      ...triple,
      added: isChanged,
    }));
    return { triples: added, closed: change.closed };
  }

  /** Takes triples away with all their closed facts. What is not there is no error. Throws like `add`. */
  delete(keys: readonly TripleKey[]): Promise<readonly RemovedTriple[]> {
    return this.#remove('delete', keys);
  }

  /**
   * Ends facts that hold at `validTo` (now; it may be to come); they stay for `asOf` and
   * `includeClosed`. Throws like `add`.
   */
  end(keys: readonly TripleKey[], validTo?: number): Promise<readonly RemovedTriple[]> {
    return this.#remove('close', keys, validTo);
  }

  /** Facts that match all that is given. FILESYSTEM_ERROR, FORMAT_TOO_NEW, as for every reading call. */
  async query(filter: TripleFilter, page: Page): Promise<Triples> {
    const table = this.#state.freshTable ?? (await this.#state.current());
    return queryTriples(table, filter, this.#present(), page);
  }

  /** The facts around a node, nearest first. */
  async neighbors(node: string, walk: Walk, page: Page): Promise<Neighborhood> {
    const table = this.#state.freshTable ?? (await this.#state.current());
    return walkFrom(table, node, walk, this.#present(), page);
  }

  /** The subjects there are, with how many facts each has. */
  async subjects(
    filter: Sight & { readonly prefix?: string | undefined },
    page: Page,
  ): Promise<{ readonly total: number; readonly subjects: readonly SubjectCount[] }> {
    return listSubjects(await this.#state.current(), filter, this.#present(), page);
  }

  /**
   * All facts that match, closed ones among them unless it says otherwise, oldest first: those that
   * were there at the call, as they are when their turn comes.
   */
  async *all(filter: TripleFilter = { includeClosed: true }): AsyncGenerator<Triple> {
    const table = await this.#state.current();
    const found = Uint32Array.from(matchingRows(table, filter, this.#present()));
    const marks = new Uint32Array(table.rowEnd);
    for (const row of found) marks[row] = table.mark(row);
    const rows = await sortInSlices(found, (a, b) => table.compareRows(a, b), new Breath());
    for (let start = 0; start < rows.length; start += PAGE) {
      // A row may be another triple's by now; and the page is made before others have a turn.
      const page = [...rows.subarray(start, start + PAGE)];
      const same = page.filter((row) => table.isUsed(row) && table.mark(row) === marks[row]);
      yield* same.map((row) => tripleOf(table, row));
    }
  }

  /** Counts, sizes of the files, and what was found damaged. */
  async stats(): Promise<GraphStats> {
    await this.#state.current();
    return statsOf(this.#state, this.#options.maxTriples, this.#clock.now());
  }

  /**
   * Writes a new snapshot and begins the log anew; the old files become the previous generation.
   * Durable when it resolves. STORAGE_FULL, FILESYSTEM_ERROR, LOCKED; the signal's reason where that
   * is aborted before the files are put in place: then they are as they were.
   */
  async save(watched: Watched = {}): Promise<Saved | undefined> {
    await this.#saving?.catch(() => undefined); // it tells its own caller
    watched.signal?.throwIfAborted();
    this.#saving = this.#compact(watched).finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  /** To be told of every change, of other processes as well while `start()` is on. Must not throw. */
  subscribe(listener: GraphListener): () => void {
    return this.#state.subscribe((subjects) => {
      const { terms } = this.#state.content.table;
      listener(subjects && new Set([...subjects].map((subject) => terms.text(subject))));
    });
  }

  /** Begins what a server does besides: follows other processes, compacts what has grown. */
  start(): void {
    this.#timer ??= setInterval(() => this.#follow(), FOLLOW_MS).unref();
  }

  /** Finishes what was accepted and lets go of lock and files. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#saving?.catch(() => undefined); // told to whoever asked, or logged
    await this.#lock.close();
    this.#end.close();
  }

  async #remove(
    kind: 'delete' | 'close',
    keys: readonly TripleKey[],
    validTo?: number,
  ): Promise<readonly RemovedTriple[]> {
    for (const key of keys) checkKey(key);
    const { triples } = await this.#writer.change({ kind, keys, validTo });
    return triples.map(({ isChanged, ...triple }) => ({ ...triple, removed: isChanged }));
  }

  #present(): Present {
    const { ttlDays } = this.#options;
    const never = Number.NEGATIVE_INFINITY;
    const notBefore = ttlDays === Number.POSITIVE_INFINITY ? never : this.#changes.expiredBefore;
    return { now: this.#clock.now(), notBefore };
  }

  async #compact(watched: Watched): Promise<Saved | undefined> {
    await this.#prepare();
    if (this.#options.ttlDays !== Number.POSITIVE_INFINITY) {
      await this.#writer.change({ kind: 'expire' });
    }
    return compact(this.#compaction, watched);
  }

  #compactIfDue(logBytes: number): void {
    const { snapshot, needsHealing } = this.#state.content;
    const isDue = logBytes > Math.max(MIN_LOG_BYTES, Number(snapshot?.size ?? 0));
    const ageMs = this.#clock.now() - Number((snapshot?.mtimeNs ?? 0n) / 1_000_000n);
    // An editor that saves in place may not be done: what it goes on to write must not go into an old file.
    const isBeingSaved = needsHealing && Math.abs(ageMs) <= SETTLED_MS;
    if (!(isDue || needsHealing) || isBeingSaved || this.#saving !== undefined) return;
    void this.save().catch((error: unknown) => {
      this.#log.warn(
        { err: error },
        'the knowledge graph was not compacted; it goes on with its log',
      );
    });
  }

  /** A graph that nobody has asked for yet is left alone. */
  #follow(): void {
    if (!this.#state.isRead && !this.#state.hasListeners) return;
    void this.#state.current().then(
      () => this.#compactIfDue(this.#state.position.offset),
      (error: unknown) => this.#log.warn({ err: error }, 'the knowledge graph cannot be read'),
    );
  }

  async #prepare(): Promise<void> {
    const { folder, locks, snapshot, wal } = this.files;
    await makeFolder(folder, this.#options);
    await makeFolder(dirname(wal), this.#options);
    await sweepTemporaries(folder);
    await sweepLocks(locks);
    const rulesOf = (merged: string, ...ignored: string[]) => ({
      ignored: ignored.map((path) => basename(path)),
      attributes: [`${basename(merged)} text eol=lf merge=union`],
    });
    const { sidecar, previousSnapshot, previousWal, rejects } = this.files;
    const ofSnapshot = rulesOf(snapshot, sidecar, previousSnapshot, rejects);
    await writeGitFiles(folder, ofSnapshot, this.#options);
    await writeGitFiles(dirname(wal), rulesOf(wal, previousWal), this.#options);
  }
}

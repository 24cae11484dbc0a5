/**
 * The knowledge graph: facts as triples with times. They are stored in a snapshot and a log that git can
 * merge (docs/FORMAT.md); queries use the table in memory. Several processes share one graph: each reads the
 * facts of the others, and the limit counts all facts.
 */
import { basename, dirname } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import { type Clock, systemClock } from '../../base/clock.js';
import { type AppError, appErrorOf } from '../../base/errors.js';
import { type Log, silentLog } from '../../base/log.js';
import { AppendHandle } from '../../files/atomic/append-file.js';
import { makeFolder } from '../../files/atomic/atomic-write.js';
import { sweepTemporaries } from '../../files/atomic/staging.js';
import { sweepLocks } from '../../files/locks/leftover-locks.js';
import { RetainedLock } from '../../files/locks/retained-lock.js';
import { unusedQueue, type WriteQueue } from '../deferred-writes/write-queue.js';
import { writeGitFiles } from '../git-files.js';
import type { StoreOptions } from '../store-options.js';
import { maskedBy } from '../text-masker.js';
import { DeferredFacts } from './deferred-facts.js';
import { GraphState } from './graph-state.js';
import { type GraphStats, statsOf } from './graph-stats.js';
import { GraphWriter } from './graph-writer.js';
import { type CompactionParts, compact, isCompactionDue, type Saved } from './log/compaction.js';
import { type GraphFiles, graphFiles } from './log/graph-files.js';
import type { ProgressOptions } from './log/snapshot-text.js';
import { sortInSlices } from './log/sort-in-slices.js';
import {
  checkEach,
  checkKey,
  checkTriple,
  type NewTriple,
  type Triple,
  type TripleKey,
} from './model/triple.js';
import type { AddRequest, DeferrableRequest, Limits, RemoveRequest } from './table/change-types.js';
import { Changes } from './table/changes.js';
import {
  listSubjects,
  matchingRows,
  type Page,
  type QueryTime,
  queryTriples,
  type SubjectCount,
  type TripleFilter,
  type Triples,
  type VisibilityFilter,
} from './table/graph-query.js';
import { type Neighborhood, type Walk, walkFrom } from './table/neighbors.js';
import { tripleOf } from './table/triple-table.js';

/** How often the files are checked for subscribers while there are no queries. */
const POLL_MS = 500;
const PAGE = 1_000;

export interface KnowledgeGraphOptions extends StoreOptions, Limits {
  readonly snapshotPath: string;
  /** The log. It must be on the same file system as the snapshot. */
  readonly walPath: string;
  /** Whether each append is fsynced. For snapshots, `fsync` decides. */
  readonly syncsAppends: boolean;
}

/** A fact as it is stored now. */
export type AddedTriple = Triple & {
  /** False if the same open fact was stored before. */
  readonly added: boolean;
};

export interface Added {
  readonly triples: readonly AddedTriple[];
  /** The facts that `replaces` ended. */
  readonly closed: readonly Triple[];
  /** The kinds of secrets that were removed, such as `GITHUB_TOKEN`, one entry for each removal. */
  readonly masked: readonly string[];
}

export interface AddOptions extends Partial<Omit<AddRequest, 'kind' | 'triples'>> {
  readonly mayDefer?: boolean;
}

export interface RemoveOptions {
  readonly mayDefer?: boolean;
}

/** The newest fact of a triple before its removal; `ts` is 0 if there was none. */
export type RemovedTriple = Triple & { readonly removed: boolean };

/** Called with the subjects whose facts changed; `undefined` if any subject may have changed. */
export type GraphListener = (subjects: ReadonlySet<string> | undefined) => void;

export class KnowledgeGraph {
  readonly files: GraphFiles;
  readonly #options: KnowledgeGraphOptions;
  readonly #state: GraphState;
  readonly #changes: Changes;
  readonly #writer: GraphWriter;
  readonly #deferred: DeferredFacts;
  readonly #compaction: CompactionParts;
  readonly #lock: RetainedLock;
  readonly #end: AppendHandle;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #queue: WriteQueue;
  #saving: Promise<Saved | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KnowledgeGraphOptions) {
    const { clock = systemClock, log = silentLog, fsync, queue = unusedQueue() } = options;
    this.#options = options;
    this.#queue = queue;
    this.#clock = clock;
    this.#log = log;
    this.files = graphFiles(options.snapshotPath, options.walPath);
    this.#state = new GraphState(this.files, log, queue);
    this.#changes = new Changes(options, clock);
    this.#end = new AppendHandle(this.files.wal, { fsync: options.syncsAppends });
    // An open file would keep its drive from being unmounted.
    this.#lock = new RetainedLock(this.files.locks, 'kg', () => this.#end.close());
    this.#compaction = { state: this.#state, lock: this.#lock, end: this.#end, clock, fsync };
    this.#writer = new GraphWriter({
      state: this.#state,
      changes: this.#changes,
      lock: this.#lock,
      end: this.#end,
      prepare: () => this.#prepare(),
      requireRoom: options.requireRoom,
      afterCommit: (logBytes) => this.#compactIfDue(logBytes),
    });
    const [state, changes, writer] = [this.#state, this.#changes, this.#writer];
    const write = (request: DeferrableRequest) => writer.change(request);
    this.#deferred = new DeferredFacts({ queue, state, changes, clock, write });
  }

  /**
   * Adds all facts or none. A fact that is stored already is not changed (`added` is false). With
   * `replaces`, the open facts of the same subjects and predicates end when the new facts begin. `ts` and
   * `validTo` are for facts from another source. `mustFit`: all facts that must fit into the limit, with those
   * of later calls. Resolves when the facts are in the log; with `syncsAppends`, when they are durable. With
   * `mayDefer` they wait in memory if the store cannot be written now.
   * E_KG_INVALID_TRIPLE, E_KG_FULL (nothing was written), STORAGE_FULL, FILESYSTEM_ERROR, LOCKED.
   */
  async add(
    given: readonly NewTriple[],
    { mustFit: allGiven = given, mayDefer = false, ...options }: AddOptions = {},
  ): Promise<Added> {
    checkEach(given, checkTriple);
    const { masker } = this.#options;
    // Facts without secrets need no asynchronous masking, so they are logged in the order of the calls.
    const isClean = masker?.isCleanValue(given) ?? true;
    const clean = { value: given, masked: [] };
    const { value: triples, masked } = isClean ? clean : await maskedBy(masker, given);
    // A reader treats a part that a mark made too long as damage.
    if (!isClean) checkEach(triples, checkTriple);
    const mustFit = allGiven === given ? triples : await this.#masked(allGiven);
    const request = { kind: 'add', triples, mustFit, replaces: false, ...options } as const;
    const now = () => this.#writer.change(request);
    if (!mayDefer) await this.#deferred.requireNone();
    const change = await (mayDefer ? this.#deferred.run(request, now) : now());
    const added = change.triples.map(({ isChanged, ...triple }) => ({
      ...triple,
      added: isChanged,
    }));
    return { triples: added, closed: change.closed, masked };
  }

  /** The facts as they are stored, in which they are found. There can be many, so others run in between. */
  async #masked(given: readonly NewTriple[]): Promise<NewTriple[]> {
    const { masker } = this.#options;
    const slice = new TimeSlice();
    const facts: NewTriple[] = [];
    for (const fact of given) {
      const isClean = masker?.isCleanValue(fact) ?? true;
      facts.push(isClean ? fact : (await maskedBy(masker, fact)).value);
      if (slice.isSpent()) await slice.yield();
    }
    return facts;
  }

  /**
   * The error that `add` throws for a fact that `checkTriple` accepts, if it has one: a mark can be longer than the
   * secret or the private part that it replaces.
   */
  async problemWhenMasked(given: NewTriple): Promise<AppError | undefined> {
    const { masker } = this.#options;
    if (masker?.isCleanValue(given) ?? true) return undefined;
    return appErrorOf(async () => checkTriple((await maskedBy(masker, given)).value));
  }

  /** How many facts `add` with `isImport` would add, without the limit. `leavesDeleted`: `AddOptions`. */
  async countNew(given: readonly NewTriple[], leavesDeleted = false): Promise<number> {
    const { value: triples } = await maskedBy(this.#options.masker, given);
    return this.#changes.countNew(await this.#state.current(), triples, leavesDeleted);
  }

  /**
   * Deletes triples with all their ended facts. A missing triple is not an error. With `mayDefer` the
   * deletion waits in memory if the store cannot be written now. Resolves and throws like `add`.
   */
  delete(keys: readonly TripleKey[], options: RemoveOptions = {}) {
    return this.#remove('delete', keys, options);
  }

  /**
   * Ends facts that are valid at `validTo` (default: now; it may be in the future). Queries with `asOf` or
   * `includeClosed` still find them. Otherwise like `delete`.
   */
  end(keys: readonly TripleKey[], options: RemoveOptions & { readonly validTo?: number } = {}) {
    return this.#remove('close', keys, options);
  }

  /** Returns the facts that match all conditions. FILESYSTEM_ERROR, FORMAT_TOO_NEW, as for every read. */
  async query(filter: TripleFilter, page: Page): Promise<Triples> {
    const table = this.#state.freshTable ?? (await this.#state.current());
    return queryTriples(table, filter, this.#queryTime(), page);
  }

  /** Returns the facts around a node, the nearest first. */
  async neighbors(node: string, walk: Walk, page: Page): Promise<Neighborhood> {
    const table = this.#state.freshTable ?? (await this.#state.current());
    return walkFrom(table, node, walk, this.#queryTime(), page);
  }

  /** Returns the subjects with their numbers of facts. */
  async subjects(
    filter: VisibilityFilter & { readonly prefix?: string | undefined },
    page: Page,
  ): Promise<{ readonly total: number; readonly subjects: readonly SubjectCount[] }> {
    return listSubjects(await this.#state.current(), filter, this.#queryTime(), page);
  }

  /**
   * Yields all facts that match, the oldest first; by default also the ended ones. It yields the facts that
   * exist at the call, each in its present state; facts that are deleted meanwhile are left out. It pauses
   * between pages, so that a caller that takes the facts without a pause does not block other calls.
   */
  async *all(filter: TripleFilter = { includeClosed: true }): AsyncGenerator<Triple> {
    const table = await this.#state.current();
    const found = Uint32Array.from(matchingRows(table, filter, this.#queryTime()));
    const marks = new Uint32Array(table.rowEnd);
    for (const row of found) marks[row] = table.mark(row);
    const slice = new TimeSlice();
    const rows = await sortInSlices(found, (a, b) => table.compareRows(a, b), slice);
    for (let start = 0; start < rows.length; start += PAGE) {
      // A row may have been reused for another triple. The page is built without a pause.
      const page = [...rows.subarray(start, start + PAGE)];
      const same = page.filter((row) => table.isUsed(row) && table.mark(row) === marks[row]);
      yield* same.map((row) => tripleOf(table, row));
      if (slice.isSpent()) await slice.yield();
    }
  }

  /** Returns counts, the sizes of the files, and the damage that was found. */
  async stats(): Promise<GraphStats> {
    await this.#state.current();
    return statsOf(this.#state, this.#options.maxTriples, this.#queryTime());
  }

  /**
   * Writes a new snapshot and starts a new log; the old files become the previous generation. Durable
   * when it resolves. Returns `undefined` if another process did it meanwhile. STORAGE_FULL,
   * FILESYSTEM_ERROR, LOCKED; the signal's reason if it is aborted before the files are renamed, which are
   * then unchanged.
   */
  async save(progress: ProgressOptions = {}): Promise<Saved | undefined> {
    while (this.#saving !== undefined) await this.#saving.catch(() => undefined); // its caller gets the error
    progress.signal?.throwIfAborted();
    this.#saving = this.#compact(progress).finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  /** Called after every change here, and after `start()` also of other processes. Must not throw. */
  subscribe(listener: GraphListener): () => void {
    return this.#state.subscribe((subjects) => {
      const { terms } = this.#state.content.table;
      listener(subjects && new Set([...subjects].map((subject) => terms.text(subject))));
    });
  }

  /** Starts the background work: it reads changes of other processes and compacts a log that has grown. */
  start(): void {
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
  }

  /** Resolves when the accepted work has ended and the lock and the files are released. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#saving?.catch(() => undefined); // thrown to its caller, or logged
    await this.#lock.close();
    this.#end.close();
  }

  async #remove(
    kind: RemoveRequest['kind'],
    keys: readonly TripleKey[],
    { mayDefer = false, validTo }: RemoveOptions & { readonly validTo?: number },
  ): Promise<readonly RemovedTriple[]> {
    checkEach(keys, checkKey);
    const request = { kind, keys, validTo };
    const now = () => this.#writer.change(request);
    if (!mayDefer) await this.#deferred.requireNone();
    const { triples } = await (mayDefer ? this.#deferred.run(request, now) : now());
    return triples.map(({ isChanged, ...triple }) => ({ ...triple, removed: isChanged }));
  }

  #queryTime(): QueryTime {
    const { ttlDays } = this.#options;
    const never = Number.NEGATIVE_INFINITY;
    const notBefore = ttlDays === Number.POSITIVE_INFINITY ? never : this.#changes.expiredBefore;
    return { now: this.#clock.now(), notBefore };
  }

  async #compact(progress: ProgressOptions): Promise<Saved | undefined> {
    await this.#deferred.requireNone();
    await this.#prepare();
    if (this.#options.ttlDays !== Number.POSITIVE_INFINITY) {
      await this.#writer.change({ kind: 'expire' });
    }
    return compact(this.#compaction, progress);
  }

  #compactIfDue(logBytes: number): void {
    if (this.#saving !== undefined) return;
    if (!isCompactionDue(this.#state, logBytes, this.#clock.now())) return;
    void this.save().catch((error: unknown) => {
      this.#log.warn(
        { err: error },
        'the knowledge graph could not be compacted; its log is still used',
      );
    });
  }

  /** Needed only if there are listeners, or for a server that continues while the store is away. */
  #poll(): void {
    if (this.#queue.isAway) return;
    if (!this.#state.isRead && !this.#state.hasListeners && !this.#queue.mayWait) return;
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

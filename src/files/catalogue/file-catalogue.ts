/**
 * An index in memory of a set of files, such as all conversations: a summary of each file, or the reason
 * why it cannot be read. An entry is valid only while the file's stamp is the same, so a refresh costs one
 * stat per file and reads only changed files. A damaged file does not affect other files. Listeners are
 * notified of every change, in order. It takes no lock, because files are replaced as a whole.
 */

import { SharedRun } from '../../base/async/shared-run.js';
import { TimeSlice } from '../../base/async/time-slice.js';
import { type AppError, isAppError } from '../../base/errors.js';
import { hasStampNow, isSameStamp, readStamp, type Stamp } from '../read/stamp.js';

/** The number of files that are read at the same time. More is not faster and needs more file handles. */
const PARALLEL_READS = 32;

/** One version of a file, as it was read or written. */
export interface FileVersion {
  readonly stamp: Stamp;
}

export interface CatalogueEntry<Summary> {
  /** If absent, the next refresh reads the file again. */
  stamp?: Stamp | undefined;
  readonly summary?: Summary;
  /** Why the file cannot be read. */
  readonly damage?: AppError;
}

export interface CatalogueChange<Version, Summary> {
  readonly name: string;
  /** Absent if the file is gone or cannot be read. */
  readonly version?: Version;
  /** The entry before the change. */
  readonly previous: CatalogueEntry<Summary> | undefined;
}

/** The entry of a file in a cache: its summary, and the stamp of the version that was summarized. */
export interface CachedFile<Summary> extends FileVersion {
  readonly summary: Summary;
}

export interface FoundFiles {
  /** The files are read in this order. */
  readonly names: readonly string[];
  /** Entries that are never opened, such as links, with the reason. */
  readonly refused?: ReadonlyMap<string, AppError>;
}

export interface FileCatalogueOptions<Version extends FileVersion, Summary> {
  /** Absolute path of the file of this name. */
  pathOf(name: string): string;
  /** Lists the files in the folder. */
  list(): Promise<FoundFiles>;
  /** `undefined` if there is no such file. An `AppError` is kept as the file's damage. */
  read(name: string): Promise<Version | undefined>;
  /**
   * Whether the entry in memory is used and the file is not checked. Without a name: whether this is so
   * for all files, for example while the disk is not available.
   */
  isInMemory?(name?: string): boolean;
  /**
   * Returns the entries of a cache, by name, for the first pass over all files. A file whose stamp is the
   * same is not read, and listeners are not notified of it. Must not reject.
   */
  readCached?(): Promise<ReadonlyMap<string, CachedFile<Summary>>>;
  /**
   * Called when a file was found missing, also if it was not known. It may be back soon with the same stamp, and a
   * watcher that has not seen it missing would not report it.
   */
  onMissing?(name: string): void;
  /** Returns the name of the version, and its summary, which stays in memory. */
  describe(version: Version): { readonly name: string; readonly summary: Summary };
}

export class FileCatalogue<Version extends FileVersion, Summary> {
  readonly #options: FileCatalogueOptions<Version, Summary>;
  readonly #entries = new Map<string, CatalogueEntry<Summary>>();
  readonly #listeners = new Set<(change: CatalogueChange<Version, Summary>) => unknown>();
  /** The last promise that a listener returned. */
  #listenerWork: Promise<unknown> = Promise.resolve();
  readonly #passes = new SharedRun(() => this.#refreshAll());
  /** `undefined` before the first pass. */
  #cached: ReadonlyMap<string, CachedFile<Summary>> | undefined;
  /** Resolves when the entries of a cache were added. */
  #seeding: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** Whether the entries of all files were added once. */
  #isFilled = false;
  #progress = { done: 0, total: 0 };

  constructor(options: FileCatalogueOptions<Version, Summary>) {
    this.#options = options;
  }

  /** The number of files that the current or the last pass has checked, and the number of all files. */
  get progress(): { readonly done: number; readonly total: number } {
    return this.#progress;
  }

  /** The size of all files, as a cache or the last pass has them; `undefined` if neither was read yet. */
  async knownBytes(): Promise<number | undefined> {
    await this.#seeding;
    if (!this.#isFilled) return undefined;
    let bytes = 0;
    for (const { stamp } of this.#entries.values()) bytes += Number(stamp?.size ?? 0);
    return bytes;
  }

  /** Resolves when the entries of a cache were added (`seedBy`). */
  get seeded(): Promise<void> {
    return this.#seeding;
  }

  entry(name: string): Readonly<CatalogueEntry<Summary>> | undefined {
    return this.#entries.get(name);
  }

  entries(): Iterable<readonly [string, Readonly<CatalogueEntry<Summary>>]> {
    return this.#entries.entries();
  }

  *summaries(): Iterable<Summary> {
    for (const { summary } of this.#entries.values()) if (summary !== undefined) yield summary;
  }

  /** The files that could not be read, as of the last refresh. */
  damaged(): { name: string; error: AppError }[] {
    return [...this.#entries].flatMap(([name, { damage: error }]) =>
      error === undefined ? [] : [{ name, error }],
    );
  }

  /**
   * Calls `listener` with every later change; several listeners are called in the order of subscription. If
   * it returns a promise, a pass over the files waits for it before it reads more files. Returns the
   * unsubscribe function.
   */
  onChange(listener: (change: CatalogueChange<Version, Summary>) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** After this call, the next refresh reads every file and notifies the listeners of each. */
  invalidate(): void {
    this.#cached = new Map();
    for (const entry of this.#entries.values()) entry.stamp = undefined;
  }

  /**
   * Adds an entry of a cache and does not notify listeners. The next refresh checks the entry. Returns
   * false, and changes nothing, if the file has an entry already.
   */
  seed(name: string, stamp: Stamp, summary: Summary): boolean {
    if (this.#entries.get(name)?.stamp !== undefined) return false;
    this.#entries.set(name, { stamp, summary });
    return true;
  }

  /**
   * Runs `load`, which adds the entries of a cache with `seed`. Passes over all files wait for it, because
   * they would otherwise read the files that are in the cache. `load` must not reject.
   */
  async seedBy(load: () => Promise<void>): Promise<void> {
    this.#seeding = load();
    await this.#seeding;
    this.#isFilled ||= this.#entries.size > 0;
  }

  /** Adds a version that this process read or wrote. Returns false if it is the known version. */
  note(version: Version): boolean {
    const { name, summary } = this.#options.describe(version);
    const previous = this.#entries.get(name);
    const isKnown = previous?.summary !== undefined && isSameStamp(previous.stamp, version.stamp);
    if (isKnown) return false;
    this.#entries.set(name, { stamp: version.stamp, summary });
    this.#notify({ name, version, previous });
    return true;
  }

  /** Removes the entry of a file that no longer exists. */
  forget(name: string): void {
    this.#replace(name, undefined);
  }

  /** Checks the stamp of every file and reads the changed files. Calls at the same time share one pass. */
  refresh(): Promise<void> {
    return this.#passes.run();
  }

  /** Reads every file, in a pass of its own. Throws the signal's reason if it is aborted. */
  async reload(signal?: AbortSignal): Promise<void> {
    this.invalidate();
    await this.#refreshAll(signal);
  }

  /** Like `refresh`, for these files only. */
  async refreshSome(names: readonly string[]): Promise<void> {
    await this.#readAll(await this.#changedOf(names));
  }

  /**
   * Reads the files that the system refused to read. Their stamps do not show when they can be read again:
   * permissions, locks of other programs and errors of a disk do not change a stamp.
   */
  async refreshUnread(): Promise<void> {
    const names: string[] = [];
    for (const [name, { damage }] of this.#entries) {
      if (damage !== undefined && readErrnoOf(damage) !== undefined) names.push(name);
    }
    if (names.length > 0) await this.refreshSome(names);
  }

  /** Ends running passes soon. Later passes read nothing. */
  stop(): void {
    this.#isStopped = true;
  }

  async #refreshAll(signal?: AbortSignal): Promise<void> {
    await this.#seeding;
    const cached = this.#cached ?? (await this.#options.readCached?.());
    this.#cached ??= cached; // `invalidate` may have been called meanwhile
    const known = [...this.#entries.keys()]; // read before the listing, so that files added meanwhile stay
    const found = await this.#listPresent();
    if (found === undefined) return;
    const { names, refused = new Map<string, AppError>() } = found;
    const present = new Set(names);
    for (const name of known) {
      if (!present.has(name) && !this.#options.isInMemory?.(name)) this.forget(name);
    }
    for (const [name, damage] of refused) this.#replace(name, { damage });
    const progress = { done: 0, total: names.length };
    this.#progress = progress;
    const changed = await this.#changedOf(names, signal);
    this.#cached = new Map();
    progress.done = names.length - changed.length;
    await this.#readAll(changed, signal, () => {
      progress.done += 1;
    });
    this.#isFilled = true;
  }

  /** `undefined` while the store is away: its folder may be missing, or may not be readable. */
  async #listPresent(): Promise<FoundFiles | undefined> {
    try {
      const found = await this.#options.list();
      return this.#options.isInMemory?.() ? undefined : found;
    } catch (error) {
      if (!isAppError(error) || !this.#options.isInMemory?.()) throw error;
      return undefined;
    }
  }

  /** Uses one synchronous stat per file. Most files are unchanged and need no slower asynchronous check. */
  async #changedOf(names: readonly string[], signal?: AbortSignal): Promise<string[]> {
    const slice = new TimeSlice({ readsDisk: true, signal });
    const changed: string[] = [];
    for (const name of names) {
      if (this.#isStopped) break;
      const entry = this.#entries.get(name);
      const cached = entry === undefined ? this.#cached?.get(name) : undefined;
      const stamp = (entry ?? cached)?.stamp;
      if (stamp === undefined) {
        changed.push(name);
        continue;
      }
      if (!hasStampNow(this.#options.pathOf(name), stamp)) changed.push(name);
      else if (cached !== undefined) this.seed(name, stamp, cached.summary);
      if (slice.isSpent()) await slice.yield();
    }
    return changed;
  }

  async #readAll(
    names: readonly string[],
    signal?: AbortSignal,
    onDone: () => void = () => undefined,
  ): Promise<void> {
    const next = names.values();
    const workers = Array.from({ length: PARALLEL_READS }, async () => {
      for (const name of next) {
        signal?.throwIfAborted();
        if (this.#isStopped) return;
        await this.#refreshOne(name);
        await this.#listenerWork;
        onDone();
      }
    });
    await Promise.all(workers);
  }

  async #refreshOne(name: string): Promise<void> {
    for (;;) {
      const known = this.#entries.get(name);
      const found = await this.#check(name, known);
      // The entry changed during the read. It is not known which version is newer, so the file is read again.
      if (this.#entries.get(name) !== known) continue;
      if (found === 'unchanged' || this.#options.isInMemory?.(name)) return;
      if ('version' in found) this.note(found.version);
      else this.#replace(name, found.entry);
      return;
    }
  }

  async #check(
    name: string,
    known: CatalogueEntry<Summary> | undefined,
  ): Promise<'unchanged' | { version: Version } | { entry: CatalogueEntry<Summary> | undefined }> {
    let stamp: Stamp | undefined;
    try {
      stamp = await readStamp(this.#options.pathOf(name));
      if (stamp === undefined) return { entry: undefined };
      if (isSameStamp(known?.stamp, stamp)) return 'unchanged';
      const version = await this.#options.read(name);
      return version === undefined ? { entry: undefined } : { version };
    } catch (error) {
      if (!isAppError(error)) throw error;
      // Without a stamp the file is read again: missing permissions or file handles are not visible in the
      // stamp.
      return { entry: readErrnoOf(error) ? { damage: error } : { stamp, damage: error } };
    }
  }

  /** For a file that cannot be read, or no longer exists (`undefined`). */
  #replace(name: string, entry: CatalogueEntry<Summary> | undefined): void {
    const previous = this.#entries.get(name);
    if (entry !== undefined) this.#entries.set(name, entry);
    else {
      this.#entries.delete(name);
      this.#options.onMissing?.(name);
    }
    if (previous?.summary !== undefined) this.#notify({ name, previous });
  }

  #notify(change: CatalogueChange<Version, Summary>): void {
    for (const listener of this.#listeners) {
      const work = listener(change);
      if (work instanceof Promise) this.#listenerWork = work;
    }
  }
}

/** The errno if the system could not read the file; `undefined` if the content is damaged. */
export function readErrnoOf({ details }: AppError): string | undefined {
  const errno = details?.['errno'];
  return typeof errno === 'string' ? errno : undefined;
}

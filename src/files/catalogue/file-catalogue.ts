/**
 * What is known of a set of files, such as all conversations or all notes: a summary of each file,
 * or the reason why it cannot be read. An entry counts only while the file's stamp agrees, so a
 * refresh costs one stat per file and reads only what changed. A damaged file hides no other file.
 * Listeners are notified of every change, in order. Takes no lock: files are replaced as a whole.
 */
import { type AppError, isAppError } from '../../base/errors.js';
import { SharedRun } from '../../base/shared-run.js';
import { TimeSlice } from '../../base/time-slice.js';
import { hasStampNow, isSameStamp, readStamp, type Stamp } from '../read/stamp.js';

/** Files that are read at the same time. More is not faster and needs more file handles. */
const PARALLEL_READS = 32;

/** One version of a file, as it was read or written. */
export interface FileVersion {
  readonly stamp: Stamp;
}

export interface CatalogueEntry<Summary> {
  /** Absent: the next refresh reads the file again. */
  stamp?: Stamp | undefined;
  readonly summary?: Summary;
  /** Why the file cannot be read. */
  readonly damage?: AppError;
}

export interface FileChange<Version, Summary> {
  readonly name: string;
  /** Absent if the file is gone or cannot be read. */
  readonly version?: Version;
  /** What was known before the change. */
  readonly previous: CatalogueEntry<Summary> | undefined;
}

/** What a cache has of a file: its summary, and the stamp of the version that it is of. */
export interface Remembered<Summary> extends FileVersion {
  readonly summary: Summary;
}

export interface FoundFiles {
  /** In the order in which they are to be read. */
  readonly names: readonly string[];
  /** Entries that are never opened, such as links, with the reason. */
  readonly refused?: ReadonlyMap<string, AppError>;
}

export interface FileCatalogueOptions<Version extends FileVersion, Summary> {
  /** Absolute path of the file of this name. */
  pathOf(name: string): string;
  /** What is in the folder now. */
  list(): Promise<FoundFiles>;
  /** `undefined` if there is no such file. An `AppError` is kept as the file's damage. */
  read(name: string): Promise<Version | undefined>;
  /**
   * Whether memory counts and the disk does not: for this file, or without a name for all of them, as
   * while the folder is away.
   */
  isInMemory?(name?: string): boolean;
  /**
   * What a cache has, by name, for the first pass over all files: a file with the same stamp is not read,
   * and no listener is notified of it. Never rejects.
   */
  remembered?(): Promise<ReadonlyMap<string, Remembered<Summary>>>;
  /** The version's name, and what stays in memory of it. */
  describe(version: Version): { readonly name: string; readonly summary: Summary };
}

export class FileCatalogue<Version extends FileVersion, Summary> {
  readonly #options: FileCatalogueOptions<Version, Summary>;
  readonly #entries = new Map<string, CatalogueEntry<Summary>>();
  readonly #listeners = new Set<(change: FileChange<Version, Summary>) => unknown>();
  /** What a listener returned last: work on a change that is not done. */
  #behind: Promise<unknown> = Promise.resolve();
  readonly #passes = new SharedRun(() => this.#refreshAll());
  /** `undefined` before the first pass. */
  #remembered: ReadonlyMap<string, Remembered<Summary>> | undefined;
  /** Resolves when the entries of a cache were entered. */
  #seeding: Promise<void> = Promise.resolve();
  #isStopped = false;
  #progress = { done: 0, total: 0 };

  constructor(options: FileCatalogueOptions<Version, Summary>) {
    this.#options = options;
  }

  /** Files that the current or the last pass has checked. */
  get progress(): { readonly done: number; readonly total: number } {
    return this.#progress;
  }

  /** Resolves when the entries of a cache were entered. */
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
   * Calls `listener` with every later change, in the order of subscription. A pass over the files waits
   * for the promise that it may return before it reads more. Returns the unsubscribe function.
   */
  onChange(listener: (change: FileChange<Version, Summary>) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes the next refresh read every file and notify the listeners of each. */
  invalidate(): void {
    this.#remembered = new Map();
    for (const entry of this.#entries.values()) entry.stamp = undefined;
  }

  /**
   * Enters an entry of a cache, without a notification; the next refresh checks it. False, and
   * nothing changes, if the file is known already.
   */
  seed(name: string, stamp: Stamp, summary: Summary): boolean {
    if (this.#entries.get(name)?.stamp !== undefined) return false;
    this.#entries.set(name, { stamp, summary });
    return true;
  }

  /**
   * Runs `load`, which enters with `seed` the entries of a cache. Passes over all files wait for it:
   * they would read what the cache has. It must not reject.
   */
  async seedBy(load: () => Promise<void>): Promise<void> {
    this.#seeding = load();
    await this.#seeding;
  }

  /** Enters a version that this process read or wrote. False if it is known already. */
  note(version: Version): boolean {
    const { name, summary } = this.#options.describe(version);
    const previous = this.#entries.get(name);
    const isKnown = previous?.summary !== undefined && isSameStamp(previous.stamp, version.stamp);
    if (isKnown) return false;
    this.#entries.set(name, { stamp: version.stamp, summary });
    this.#notify({ name, version, previous });
    return true;
  }

  /** Removes the entry of a file that is gone. */
  forget(name: string): void {
    this.#replace(name, undefined);
  }

  /** Checks every file's stamp after the call and reads what changed. Callers that wait share a pass. */
  refresh(): Promise<void> {
    return this.#passes.run();
  }

  /** The same in a pass of its own that reads every file. Throws the signal's reason if it is aborted. */
  async reload(signal?: AbortSignal): Promise<void> {
    this.invalidate();
    await this.#refreshAll(signal);
  }

  /** The same for these files only. */
  async refreshSome(names: readonly string[]): Promise<void> {
    await this.#readAll(await this.#changedOf(names));
  }

  /** Lets passes that are under way end soon. Later ones read nothing. */
  stop(): void {
    this.#isStopped = true;
  }

  async #refreshAll(signal?: AbortSignal): Promise<void> {
    await this.#seeding;
    const remembered = this.#remembered ?? (await this.#options.remembered?.());
    this.#remembered ??= remembered; // `invalidate` may have been called meanwhile
    const known = [...this.#entries.keys()]; // before the listing: files added meanwhile stay
    const { names, refused = new Map<string, AppError>() } = await this.#options.list();
    if (this.#options.isInMemory?.()) return;
    const present = new Set(names);
    for (const name of known) {
      if (!present.has(name) && !this.#options.isInMemory?.(name)) this.forget(name);
    }
    for (const [name, damage] of refused) this.#replace(name, { damage });
    const progress = { done: 0, total: names.length };
    this.#progress = progress;
    const changed = await this.#changedOf(names, signal);
    this.#remembered = new Map();
    progress.done = names.length - changed.length;
    await this.#readAll(changed, signal, () => {
      progress.done += 1;
    });
  }

  /** A synchronous stat each: for most files it spares the slower asynchronous check. */
  async #changedOf(names: readonly string[], signal?: AbortSignal): Promise<string[]> {
    const slice = new TimeSlice({ readsDisk: true, signal });
    const changed: string[] = [];
    for (const name of names) {
      if (this.#isStopped) break;
      const entry = this.#entries.get(name);
      const remembered = entry === undefined ? this.#remembered?.get(name) : undefined;
      const stamp = (entry ?? remembered)?.stamp;
      if (stamp === undefined) {
        changed.push(name);
        continue;
      }
      if (!this.#hasStamp(name, stamp)) changed.push(name);
      else if (remembered !== undefined) this.seed(name, stamp, remembered.summary);
      if (slice.isSpent()) await slice.yield();
    }
    return changed;
  }

  #hasStamp(name: string, stamp: Stamp): boolean {
    try {
      return hasStampNow(this.#options.pathOf(name), stamp);
    } catch (error) {
      if (!isAppError(error)) throw error;
      return false; // the asynchronous check reports it
    }
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
        await this.#behind;
        onDone();
      }
    });
    await Promise.all(workers);
  }

  async #refreshOne(name: string): Promise<void> {
    for (;;) {
      const known = this.#entries.get(name);
      const found = await this.#check(name, known);
      // The entry changed during the read, and either version may be the newer one: read again.
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
      // Missing rights or file handles can end without a change of the file: no stamp, so that it is read again.
      return { entry: errnoOfFault(error) ? { damage: error } : { stamp, damage: error } };
    }
  }

  /** For what cannot be read, or is gone. */
  #replace(name: string, entry: CatalogueEntry<Summary> | undefined): void {
    const previous = this.#entries.get(name);
    if (entry === undefined) this.#entries.delete(name);
    else this.#entries.set(name, entry);
    if (previous?.summary !== undefined) this.#notify({ name, previous });
  }

  #notify(change: FileChange<Version, Summary>): void {
    for (const listener of this.#listeners) {
      const behind = listener(change);
      if (behind instanceof Promise) this.#behind = behind;
    }
  }
}

/** The errno if the system refused the read; `undefined` if the content is damaged. */
export function errnoOfFault({ details }: AppError): string | undefined {
  const errno = details?.['errno'];
  return typeof errno === 'string' ? errno : undefined;
}

/**
 * The insights that are in the folder, in memory: all of each, as they are small. An entry is trusted
 * only while its file's stamp agrees; a damaged file is remembered as such and hides nothing else.
 * Whoever follows learns of every change here, in order. Takes no lock: files are replaced as a whole.
 */
import { basename, join } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.js';
import { AppError, isAppError } from '../../base/errors.js';
import { SharedRun } from '../../base/shared-run.js';
import { listFiles } from '../../files/folders.js';
import { parseDocument } from '../../files/json-doc.js';
import { readSettled } from '../../files/settled-read.js';
import { isSameStamp, type Stamp, stampOf } from '../../files/stamp.js';
import { look, type Seen } from '../../files/watcher/look.js';
import { Slices } from '../../files/watcher/slices.js';
import { readInsight, type StoredInsight } from './insight-file.js';
import { INSIGHT_ID, type Insight } from './schema.js';

/** Open files at once; more gains nothing and costs file handles. */
const PARALLEL_READS = 16;

export interface InsightVersion {
  readonly stored: StoredInsight;
  readonly stamp: Stamp;
}

export interface InsightChange {
  readonly id: string;
  /** What it is now; absent where it is gone or cannot be read. */
  readonly insight?: Insight;
}

interface Entry {
  readonly stamp?: Stamp | undefined;
  readonly stored?: StoredInsight;
  readonly damage?: AppError;
}

export class InsightCatalogue {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #onChange: (change: InsightChange) => void;
  /** By the file's name without `.json`: an id, or what a person called the file. */
  readonly #entries = new Map<string, Entry>();
  readonly #passes = new SharedRun(() => this.#refresh());
  #changes = 0;

  constructor(folder: string, clock: Clock, onChange: (change: InsightChange) => void) {
    this.#folder = folder;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Grows with each change. */
  get changes(): number {
    return this.#changes;
  }

  pathOf(name: string): string {
    return join(this.#folder, `${name}.json`);
  }

  get(id: string): Insight | undefined {
    return this.#entries.get(id)?.stored?.insight;
  }

  *all(): Iterable<StoredInsight> {
    for (const { stored } of this.#entries.values()) if (stored !== undefined) yield stored;
  }

  damaged(): { name: string; error: AppError }[] {
    return [...this.#entries].flatMap(([name, { damage: error }]) =>
      error === undefined ? [] : [{ name: `${name}.json`, error }],
    );
  }

  /** A version that this process wrote or read itself; false where it is known already. */
  note({ stored, stamp }: InsightVersion): boolean {
    const { insight } = stored;
    if (isSameStamp(this.#entries.get(insight.id)?.stamp, stamp)) return false;
    this.#entries.set(insight.id, { stamp, stored });
    this.#tell({ id: insight.id, insight });
    return true;
  }

  /** For one that is gone. */
  forget(name: string): void {
    const known = this.#entries.get(name);
    this.#entries.delete(name);
    if (known?.stored !== undefined) this.#tell({ id: name });
  }

  #tell(change: InsightChange): void {
    this.#changes += 1;
    this.#onChange(change);
  }

  /** Looks at every file after the call and reads what changed. */
  refresh(): Promise<void> {
    return this.#passes.run();
  }

  async #refresh(): Promise<void> {
    const known = [...this.#entries.keys()]; // before the look: what this process makes meanwhile stays
    const files = await listFiles(this.#folder);
    const names = files.flatMap((file) => nameOf(file) ?? []);
    const present = new Set(names);
    for (const name of known) if (!present.has(name)) this.forget(name);
    await this.refreshSome(names);
  }

  /** The same for some files, by their names without `.json`. */
  async refreshSome(names: readonly string[]): Promise<void> {
    const slices = new Slices(systemClock);
    const changed: string[] = [];
    for (const name of names) {
      const stamp = this.#entries.get(name)?.stamp;
      const isSame = stamp !== undefined && isSameStamp(stamp, this.#stampOf(name));
      if (!isSame) changed.push(name);
      if (slices.isOver()) await slices.breathe();
    }
    const next = changed.values();
    const workers = Array.from({ length: PARALLEL_READS }, async () => {
      for (const name of next) await this.#refreshOne(name);
    });
    await Promise.all(workers);
  }

  async #refreshOne(name: string): Promise<void> {
    for (;;) {
      const known = this.#entries.get(name);
      const seen = await this.#look(name);
      // Another version was noted meanwhile; which of the two is the newer, only another look tells.
      if (this.#entries.get(name) !== known) continue;
      if (isVersion(seen)) {
        this.note(seen);
        return;
      }
      this.forget(name);
      if (seen !== undefined) this.#entries.set(name, seen);
      return;
    }
  }

  async #look(name: string): Promise<Entry | InsightVersion | undefined> {
    const seen = look(this.pathOf(name));
    if (isNoFile(seen)) return undefined;
    const stamp = seen === 'unknown' ? undefined : stampOf(seen);
    try {
      if (!INSIGHT_ID.test(name)) throw misnamed(this.pathOf(name));
      return await this.read(name);
    } catch (error) {
      if (!isAppError(error)) throw error;
      // A lack of rights passes without a change of the file: looked at again.
      const isOfTheSystem = error.details?.['errno'] !== undefined;
      return isOfTheSystem ? { damage: error } : { stamp, damage: error };
    }
  }

  /**
   * What is on disk now; `undefined` where there is no such file. Links are not followed: a cloned
   * repository could point anywhere. CORRUPT, FORMAT_TOO_NEW, FILESYSTEM_ERROR, TOO_LARGE.
   */
  async read(id: string): Promise<InsightVersion | undefined> {
    const path = this.pathOf(id);
    if (isNoFile(look(path))) return undefined;
    const found = await readSettled(
      path,
      ({ bytes, stamp }) => {
        const modifiedAt = Number(stamp.mtimeNs / 1_000_000n);
        return readInsight(parseDocument(bytes, path, 'CORRUPT'), { id, path, modifiedAt });
      },
      this.#clock,
    );
    return found && { stored: found.value, stamp: found.stamp };
  }

  #stampOf(name: string): Stamp | undefined {
    const seen = look(this.pathOf(name));
    return seen === 'unknown' || isNoFile(seen) ? undefined : stampOf(seen);
  }
}

const isVersion = (seen: Entry | InsightVersion | undefined): seen is InsightVersion =>
  seen?.stored !== undefined && seen.stamp !== undefined;

const isNoFile = (seen: Seen): seen is 'absent' =>
  seen === 'absent' || (seen !== 'unknown' && !seen.isFile());

/** `undefined` for what is no insight by its name alone. */
export function nameOf(file: string): string | undefined {
  return file.endsWith('.json') && !file.startsWith('.') ? basename(file, '.json') : undefined;
}

function misnamed(path: string): AppError {
  return new AppError('CORRUPT', `${path}: the file of an insight is named by a UUID.`, {
    hint: 'Rename it to a UUID in lower case, such as one that uuidgen prints, with .json behind it.',
    details: { path },
  });
}

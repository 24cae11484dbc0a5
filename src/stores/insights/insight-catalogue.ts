/**
 * The index of all insights in memory, with their whole texts, which are small. Its base class, the file
 * catalogue, decides which files are read, and when. insights.ts leaves expired insights out of lists.
 */

import { basename, join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import {
  FileCatalogue,
  type FileCatalogueOptions,
  type FileVersion,
  type FoundFiles,
} from '../../files/catalogue/file-catalogue.js';
import { entriesOf } from '../../files/paths/folders.js';
import { readSettled } from '../../files/read/settled-read.js';
import { modifiedMs } from '../../files/read/stamp.js';
import { type Seen, statEntry } from '../../files/watcher/stat-entry.js';
import { parseInsight } from './insight-file.js';
import { INSIGHT_ID, type Insight, type StoredInsight } from './schema.js';

export interface InsightVersion extends FileVersion {
  readonly stored: StoredInsight;
}

export interface InsightChange {
  readonly id: string;
  /** The present insight; absent if it no longer exists or cannot be read. */
  readonly insight?: Insight;
}

type Memory = Required<
  Pick<FileCatalogueOptions<InsightVersion, StoredInsight>, 'isInMemory' | 'onMissing'>
>;

/** The entries have the name of the file without `.json`: an id, or another name that a person chose. */
export class InsightCatalogue extends FileCatalogue<InsightVersion, StoredInsight> {
  readonly #folder: string;
  readonly #clock: Clock;
  #changes = 0;

  constructor(folder: string, clock: Clock, { isInMemory, onMissing }: Memory) {
    super({
      pathOf: (name) => this.pathOf(name),
      list: () => listInsights(folder),
      isInMemory,
      onMissing,
      read: (name) => {
        if (!INSIGHT_ID.test(name)) throw misnamed(this.pathOf(name));
        return this.read(name);
      },
      describe: ({ stored }) => ({ name: stored.insight.id, summary: stored }),
    });
    this.#folder = folder;
    this.#clock = clock;
    this.onChange(() => {
      this.#changes += 1;
    });
  }

  /** The number of changes since the start. */
  get changes(): number {
    return this.#changes;
  }

  pathOf(name: string): string {
    return join(this.#folder, `${name}.json`);
  }

  /** Calls `listener` with every later change. Returns the unsubscribe function. */
  follow(listener: (change: InsightChange) => void): () => void {
    return this.onChange(({ name: id, version }) =>
      listener({ id, ...(version && { insight: version.stored.insight }) }),
    );
  }

  get(id: string): Insight | undefined {
    return this.entry(id)?.summary?.insight;
  }

  /**
   * Reads the insight from the disk; returns `undefined` if there is no such file. PATH_ESCAPE for a link,
   * because a cloned repository could link to any file. CORRUPT, FORMAT_TOO_NEW, FILESYSTEM_ERROR, TOO_LARGE.
   */
  async read(id: string): Promise<InsightVersion | undefined> {
    const path = this.pathOf(id);
    if (isNoFile(statEntry(path))) return undefined;
    const found = await readSettled(
      path,
      ({ bytes, stamp }) => parseInsight(bytes, { id, path, modifiedAt: modifiedMs(stamp) }),
      this.#clock,
    );
    return found && { stored: found.value, stamp: found.stamp };
  }
}

async function listInsights(folder: string): Promise<FoundFiles> {
  const files = (await entriesOf(folder)).filter((entry) => !entry.isDirectory());
  return { names: files.flatMap(({ name }) => nameOf(name) ?? []) };
}

const isNoFile = (seen: Seen): seen is 'absent' =>
  seen === 'absent' || (seen !== 'unknown' && seen.isDirectory());

/** Returns the name without `.json`; `undefined` if the name is not one of an insight file. */
export function nameOf(file: string): string | undefined {
  return file.endsWith('.json') && !file.startsWith('.') ? basename(file, '.json') : undefined;
}

function misnamed(path: string): AppError {
  return new AppError('CORRUPT', `${path}: the name of the file of an insight must be a UUID.`, {
    hint: 'Rename the file to a UUID in lower case with the extension .json. uuidgen prints a UUID.',
    details: { path },
  });
}

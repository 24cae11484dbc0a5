/** Deleted insights: `.trash/insights/<id>.<UTC time of deletion>.json`, excluded from git. */
import { join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { AppError, isAppError } from '../../base/errors.js';
import type { Durability } from '../../files/atomic/atomic-write.js';
import { keepOutOfGit } from '../../files/paths/git-ignore.js';
import { readWhole } from '../../files/read/whole-file.js';
import { type TrashEntry, TrashFolder } from '../../files/trash/trash-folder.js';
import type { InsightCatalogue } from './insight-catalogue.js';
import { parseInsight } from './insight-file.js';
import { INSIGHT_ID, type StoredInsight } from './schema.js';

export interface InsightTrashParts {
  /** `folder`: the absolute path of `memory-bank`. */
  readonly options: Durability & { readonly folder: string };
  readonly clock: Clock;
  readonly catalogue: InsightCatalogue;
  /** Runs `work` under the insight's lock. */
  locked<T>(id: string, work: () => Promise<T>): Promise<T>;
  /** Called after the insight's file was moved. */
  gone(id: string): void;
}

export interface TrashedInsight extends TrashEntry {
  /** Absent if the file cannot be read. */
  readonly content?: string;
  /** Why it cannot be read. */
  readonly damage?: AppError;
}

export class InsightTrash {
  readonly #core: InsightTrashParts;
  readonly #entries: TrashFolder;

  constructor(core: InsightTrashParts) {
    const { options, clock } = core;
    const folder = join(options.folder, '.trash', 'insights');
    this.#core = core;
    this.#entries = new TrashFolder({
      folder,
      durability: options,
      clock,
      holds: 'files',
      originalOf: idOfTrashed,
    });
  }

  /**
   * Moves an insight to the trash and returns its name there; returns `undefined` if there is no such
   * insight. `check` gets the insight on disk before the move, and throws if it must not be moved. Durable
   * when it resolves. LOCKED, FILESYSTEM_ERROR.
   */
  moveIn(id: string, check?: (found: StoredInsight) => void): Promise<string | undefined> {
    return this.#core.locked(id, async () => {
      const { options, catalogue } = this.#core;
      const found = check && (await catalogue.read(id));
      if (found !== undefined) check?.(found.stored);
      const name = await this.#entries.moveIn(catalogue.pathOf(id), `${id}.json`);
      if (name !== undefined) await keepOutOfGit(join(options.folder, '.trash'), options);
      this.#core.gone(id);
      return name;
    });
  }

  /**
   * Restores the file with this name or, for an id, the one that was deleted last. Returns its path. Durable
   * when it resolves. VALIDATION_ERROR (not in the trash), ALREADY_EXISTS.
   */
  async restore(nameOrId: string): Promise<string> {
    const found = await this.#entries.find(nameOrId);
    if (found === undefined) throw notInTrash(nameOrId);
    const { name, original: id } = found;
    return this.#core.locked(id, async () => {
      const path = this.#core.catalogue.pathOf(id);
      const outcome = await this.#entries.moveOut(name, path);
      if (outcome === 'taken') throw alreadyThere(path, id, name);
      if (outcome === 'absent') throw notInTrash(nameOrId);
      await this.#core.catalogue.refreshSome([id]);
      return path;
    });
  }

  /** Returns all entries, the last deleted first. FILESYSTEM_ERROR. */
  async list(): Promise<TrashedInsight[]> {
    const listed: TrashedInsight[] = [];
    for (const entry of await this.#entries.list()) {
      listed.push({ ...entry, ...(await this.#contentOf(entry)) });
    }
    return listed;
  }

  /** Removes the entry permanently. Returns false if it is not in the trash. LOCKED, FILESYSTEM_ERROR. */
  async remove(name: string): Promise<boolean> {
    const id = idOfTrashed(name);
    return id !== undefined && this.#core.locked(id, () => this.#entries.remove(name));
  }

  async #contentOf({
    name,
    original: id,
  }: TrashEntry): Promise<Pick<TrashedInsight, 'content' | 'damage'>> {
    const path = this.#entries.pathOf(name);
    try {
      const found = await readWhole(path);
      if (found === undefined) return {}; // restored or removed meanwhile
      const { content } = parseInsight(found.bytes, { id, path, modifiedAt: 0 }).insight;
      return { content };
    } catch (error) {
      if (isAppError(error)) return { damage: error };
      throw error;
    }
  }
}

/** Returns the id in a name in the trash; `undefined` if the name is not one of an insight. */
function idOfTrashed(name: string): string | undefined {
  const id = name.slice(0, Math.max(0, name.indexOf('.')));
  return INSIGHT_ID.test(id) && !name.includes('/') ? id : undefined;
}

function notInTrash(nameOrId: string): AppError {
  return new AppError('VALIDATION_ERROR', `The trash has no insight ${nameOrId}.`, {
    hint: 'Deleted insights are in the folder memory-bank/.trash/insights.',
  });
}

function alreadyThere(path: string, id: string, name: string): AppError {
  return new AppError('ALREADY_EXISTS', `The insight ${id} already exists.`, {
    hint: `Nothing was overwritten. Delete the existing insight first, then restore ${name}.`,
    details: { path },
  });
}

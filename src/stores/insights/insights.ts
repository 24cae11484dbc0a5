/**
 * The store of insights: notes about one project (context) or about all, one JSON file each in
 * `memory-bank/insights/`, which git can merge and people can edit. Each change is made under the insight's
 * lock between processes, to the version that is on disk. The tools decide which contexts a caller may see.
 */

import type { AppError } from '../../base/errors.js';
import { newUuid } from '../../base/ids.js';
import type { JsonObject } from '../../base/json-fields.js';
import { GroupCommit, type Outcome, outcomeOf } from '../../files/atomic/group-commit.js';
import { listFiles } from '../../files/paths/folders.js';
import { hasTag, withDistinctTags } from '../tags.js';
import { maskedBy } from '../text-masker.js';
import type { DeletedInsight } from './deferred-insights.js';
import type { InsightChange } from './insight-catalogue.js';
import { InsightCore, type InsightStoreOptions, type PutInsight } from './insight-core.js';
import type { TrashedInsight } from './insight-trash.js';
import { type Insight, isExpired, type StoredInsight } from './schema.js';
import {
  normalizeInsight,
  requireContent,
  requireContext,
  requireInsightId,
} from './validate-insight.js';

export type { Insight, InsightChange, PutInsight };

export type NewInsight = Pick<Insight, 'content' | 'context'> &
  Partial<Pick<Insight, 'tags' | 'metadata' | 'expires_at'>>;

/** Omitted fields are kept; `null` clears a field. */
export interface InsightUpdate {
  readonly content?: string;
  readonly metadata?: JsonObject | null;
  readonly tags?: readonly string[];
  readonly expires_at?: number | null;
}

export interface InsightSelection {
  readonly context: string;
  /** Other contexts of the same project, such as its path from before it had a repository. */
  readonly alsoIn?: readonly string[];
  /** Only insights that have all these tags. */
  readonly tags?: readonly string[];
  readonly includeExpired?: boolean;
}

interface Put {
  readonly given: StoredInsight;
  readonly replacesOlder: boolean;
}

/** Each new insight of a batch has an open file. */
const MAX_BATCH = 256;

/** Wrong ids, contexts and fields are VALIDATION_ERROR before any file access. */
export class InsightStore {
  readonly #core: InsightCore;
  readonly #puts = new GroupCommit<Put, PutInsight>((batch) => this.#putAll(batch), {
    maxBatch: MAX_BATCH,
  });

  /** Does not access the disk. */
  constructor(options: InsightStoreOptions) {
    this.#core = new InsightCore(options);
  }

  /**
   * Adds an insight with a new id. Durable when it resolves; with `mayDefer` it waits in memory if the store
   * cannot be written now. STORAGE_FULL, FILESYSTEM_ERROR, STORAGE_UNAVAILABLE.
   */
  async save(fields: NewInsight, { mayDefer = false } = {}): Promise<Insight> {
    requireContent(fields.content);
    return this.#core.track(this.#save(fields, mayDefer));
  }

  async #save(fields: NewInsight, mayDefer: boolean): Promise<Insight> {
    const now = this.#core.clock.now();
    const insight = { ...fields, id: newUuid(), created_at: now, updated_at: now };
    const stored = await this.asStored({ insight, extra: {} });
    const write = () => this.#core.writeNew(stored);
    await (mayDefer ? this.#core.deferred.run(stored, write) : write());
    return stored.insight;
  }

  /** The insight as `put` writes it: without secrets. VALIDATION_ERROR. */
  async asStored(given: StoredInsight): Promise<StoredInsight> {
    const { value, masked } = await maskedBy(this.#core.options.masker, given);
    const { insight, ...others } = value;
    return normalizeInsight(
      masked.length === 0 ? value : { ...others, insight: withDistinctTags(insight) },
    );
  }

  /**
   * Stores an insight with its own id and times, for imports. An existing insight with this id is not changed
   * and is returned, unless `replacesOlder` is set and the given one has a later `updated_at`. New insights
   * that are put at the same time are written together. Durable when it resolves. CORRUPT if the existing
   * file cannot be read, LOCKED, STORAGE_FULL.
   */
  put(
    given: StoredInsight,
    { replacesOlder = false }: { replacesOlder?: boolean } = {},
  ): Promise<PutInsight> {
    return this.#core.track(this.#puts.add({ given, replacesOlder }));
  }

  async #putAll(batch: readonly Put[]): Promise<Outcome<PutInsight>[]> {
    const masked: Outcome<StoredInsight>[] = [];
    for (const { given } of batch) masked.push(await outcomeOf(() => this.asStored(given)));
    const added = await this.#core.addNew(
      masked.flatMap((one) => ('value' in one ? [one.value] : [])),
    );
    const outcomes: Outcome<PutInsight>[] = [];
    for (const [index, one] of masked.entries()) {
      const { replacesOlder = false } = batch[index] ?? {};
      outcomes.push(
        'error' in one
          ? one
          : (added.get(one.value) ??
              (await outcomeOf(() => this.#putOne(one.value, replacesOlder)))),
      );
    }
    return outcomes;
  }

  async #putOne(stored: StoredInsight, replacesOlder: boolean): Promise<PutInsight> {
    const { id, updated_at } = stored.insight;
    const isKept = (found: StoredInsight) =>
      !replacesOlder || found.insight.updated_at >= updated_at;
    const seen = await this.#core.catalogue.read(id);
    if (seen !== undefined && isKept(seen.stored)) {
      return { outcome: 'unchanged', stored: seen.stored };
    }
    return this.#core.locked(id, async (lock) => {
      const found = await this.#core.catalogue.read(id);
      if (found !== undefined && isKept(found.stored)) {
        return { outcome: 'unchanged', stored: found.stored };
      }
      await this.#core.options.requireRoom?.();
      await this.#core.write(lock, stored);
      return { outcome: found === undefined ? 'added' : 'replaced', stored };
    });
  }

  /**
   * Returns the insight on disk, also an expired one; while the store is away, the one in memory. Returns
   * `undefined` if there is none. CORRUPT, FORMAT_TOO_NEW.
   */
  async get(id: string): Promise<Insight | undefined> {
    requireInsightId(id);
    if (this.#core.deferred.views.isInMemory(id)) return this.known(id);
    const found = await this.#core.catalogue.read(id);
    if (found !== undefined) this.#core.note(found.stored, found.stamp);
    return found?.stored.insight;
  }

  /**
   * Changes an insight; returns `undefined` if there is none. Durable when it resolves; with `mayDefer` it
   * waits in memory if the store cannot be written now. CORRUPT, FORMAT_TOO_NEW, LOCKED, STORAGE_UNAVAILABLE.
   */
  async update(
    id: string,
    given: InsightUpdate,
    { mayDefer = false } = {},
  ): Promise<Insight | undefined> {
    requireInsightId(id);
    if (given.content !== undefined) requireContent(given.content);
    const { value, masked } = await maskedBy(this.#core.options.masker, given);
    const fields = masked.length === 0 ? value : withDistinctTags(value);
    const atMs = this.#core.clock.now();
    const change = ({ insight, extra }: StoredInsight) =>
      normalizeInsight({ insight: changed(insight, fields, atMs), extra });
    const now = () => this.#core.revise(id, change);
    const stored = await (mayDefer ? this.#core.deferred.update(id, change, now) : now());
    return stored?.insight;
  }

  /**
   * Moves the insight to the trash and returns its name there, for `restore`; returns `undefined` if there is
   * none. With `mayDefer` the deletion waits in memory if the store cannot be written now; then there is no
   * name yet. LOCKED, STORAGE_UNAVAILABLE.
   */
  async trash(id: string, { mayDefer = false } = {}): Promise<DeletedInsight | undefined> {
    requireInsightId(id);
    const now = async () => {
      const trashName = await this.#core.trash.moveIn(id);
      return trashName === undefined ? undefined : { trashName };
    };
    return mayDefer ? this.#core.deferred.trash(id, now) : now();
  }

  /** Removes it permanently. False if there is none. STORAGE_UNAVAILABLE if a write of it waits. */
  async remove(id: string): Promise<boolean> {
    requireInsightId(id);
    await this.#core.deferred.views.requireNone(id);
    return this.#core.locked(id, async (lock) => {
      const isThere = (await listFiles(this.#core.folder)).includes(`${id}.json`);
      if (isThere) await lock.remove(this.#core.catalogue.pathOf(id), this.#core.options);
      this.#core.gone(id);
      return isThere;
    });
  }

  /**
   * Restores the insight with this name in the trash or, for an id, the one that was deleted last. Returns
   * its path. VALIDATION_ERROR (not in the trash), ALREADY_EXISTS, STORAGE_FULL.
   */
  async restore(nameOrId: string): Promise<string> {
    await this.#core.options.requireRoom?.();
    return this.#core.trash.restore(nameOrId);
  }

  /** Lists the trash, the last deleted first. FILESYSTEM_ERROR. */
  trashed(): Promise<TrashedInsight[]> {
    return this.#core.trash.list();
  }

  /**
   * Permanently removes the insight with this name from the trash. Returns false if it is not there. LOCKED.
   */
  purge(name: string): Promise<boolean> {
    return this.#core.trash.remove(name);
  }

  /** Returns the selected insights, the newest `created_at` first. FILESYSTEM_ERROR. */
  async list(given: InsightSelection): Promise<Insight[]> {
    const selection = { ...given, context: requireContext(given.context) };
    await this.current();
    return [...this.#core.catalogue.summaries()]
      .map(({ insight }) => insight)
      .filter((insight) => this.isSelected(insight, selection))
      .sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1));
  }

  isSelected(insight: Insight, selection: InsightSelection): boolean {
    const { context, alsoIn = [], tags = [], includeExpired } = selection;
    return (
      (insight.context === context || alsoIn.includes(insight.context)) &&
      tags.every((tag) => hasTag(insight.tags ?? [], tag)) &&
      (includeExpired || !isExpired(insight, this.#core.clock.now()))
    );
  }

  /** Returns the readable insights of all contexts, the oldest first, with their unknown fields. */
  async all(): Promise<StoredInsight[]> {
    await this.current();
    return [...this.#core.catalogue.summaries()].sort(
      ({ insight: a }, { insight: b }) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1),
    );
  }

  /** Returns the number of insights of each context, without expired ones. It may be 0. FILESYSTEM_ERROR. */
  async contexts(): Promise<ReadonlyMap<string, number>> {
    await this.current();
    const counts = new Map<string, number>();
    const now = this.#core.clock.now();
    for (const { insight } of this.#core.catalogue.summaries()) {
      const before = counts.get(insight.context) ?? 0;
      counts.set(insight.context, before + (isExpired(insight, now) ? 0 : 1));
    }
    return counts;
  }

  /** Returns the insight in memory, without disk access. */
  known(id: string): Insight | undefined {
    return this.#core.catalogue.get(id);
  }

  /** Returns the files that could not be read at the last refresh. */
  damaged(): { name: string; error: AppError }[] {
    const damaged = this.#core.catalogue.damaged();
    return damaged.map(({ name, error }) => ({ name: `${name}.json`, error }));
  }

  /** Calls `follower` with every later change, and at the first refresh with every insight. */
  follow(follower: (change: InsightChange) => void): () => void {
    return this.#core.catalogue.follow(follower);
  }

  /** Resolves when memory agrees with the folder: at once while the folder is watched. FILESYSTEM_ERROR. */
  current(): Promise<void> {
    return this.#core.current();
  }

  /** Checks these files on disk. Returns true if none has changed. */
  async isUnchanged(ids: readonly string[]): Promise<boolean> {
    const { catalogue } = this.#core;
    const { changes } = catalogue;
    await catalogue.refreshSome(ids);
    return changes === catalogue.changes;
  }

  /**
   * Starts the watcher, which runs until `close`, and removes the locks of dead processes, both in the
   * background. If this fails, the error is logged, and each call checks the folder itself.
   */
  start(): void {
    this.#core.start();
  }

  /** Resolves when all accepted writes have ended. */
  close(): Promise<void> {
    return this.#core.close();
  }
}

function changed(insight: Insight, change: InsightUpdate, atMs: number): Insight {
  const { metadata = insight.metadata, expires_at = insight.expires_at } = change;
  const { metadata: _, expires_at: __, ...others } = insight;
  return {
    ...others,
    ...(change.content !== undefined && { content: change.content }),
    ...(change.tags !== undefined && { tags: change.tags }),
    ...(metadata != null && { metadata }),
    updated_at: Math.max(atMs, insight.updated_at),
    ...(expires_at != null && { expires_at }),
  };
}

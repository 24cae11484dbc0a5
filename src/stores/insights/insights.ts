/**
 * Insights: notes that belong to one project or to all, one JSON file each in
 * `memory-bank/insights/`, made for git and for editing by hand. A write answers when the file is on
 * disk; a change happens under the insight's lock between processes, from what is on disk then.
 * Which context a caller may see is decided above, in the tools; nothing here crosses contexts but ids.
 */

import type { AppError } from '../../base/errors.js';
import { newUuid } from '../../base/ids.js';
import { listFiles } from '../../files/paths/folders.js';
import type { JsonObject } from '../conversations/document/schema.js';
import { screenedBy } from '../text-screen.js';
import type { InsightChange } from './catalogue.js';
import type { DeletedInsight } from './deferred-insights.js';
import { InsightCore, type InsightStoreOptions } from './insight-core.js';
import type { TrashedInsight } from './insight-trash.js';
import { type Insight, isExpired } from './schema.js';
import type { StoredInsight } from './stored-insight.js';
import {
  normalizeInsight,
  requireContent,
  requireContext,
  requireInsightId,
} from './validate-insight.js';

export type { Insight, InsightChange };

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
  /** Other contexts of the same project, such as paths from before it had a repository. */
  readonly alsoIn?: readonly string[];
  /** Only those that have all of them. */
  readonly tags?: readonly string[];
  readonly includeExpired?: boolean;
}

/** What `put` did, and the insight that is stored now. */
export interface PutInsight {
  readonly outcome: 'added' | 'replaced' | 'unchanged';
  readonly stored: StoredInsight;
}

/** Wrong ids, contexts and fields are VALIDATION_ERROR before any file is touched. */
export class InsightStore {
  readonly #core: InsightCore;

  /** Touches no file. */
  constructor(options: InsightStoreOptions) {
    this.#core = new InsightCore(options);
  }

  /**
   * Durable when it resolves; with `mayDefer` it waits in memory where the store cannot be written now.
   * STORAGE_FULL, FILESYSTEM_ERROR, STORAGE_UNAVAILABLE.
   */
  async save(fields: NewInsight, { mayDefer = false } = {}): Promise<Insight> {
    requireContent(fields.content);
    return this.#core.track(this.#save(fields, mayDefer));
  }

  async #save(fields: NewInsight, mayDefer: boolean): Promise<Insight> {
    const now = this.#core.clock.now();
    const insight = { ...fields, id: newUuid(), created_at: now, updated_at: now };
    const stored = await this.#screened({ insight, extra: {} });
    const write = () => this.#core.writeNew(stored);
    await (mayDefer ? this.#core.deferred.run(stored, write) : write());
    return stored.insight;
  }

  async #screened(given: StoredInsight): Promise<StoredInsight> {
    const { value } = await screenedBy(this.#core.options.screen, given);
    return normalizeInsight(value);
  }

  /**
   * Stores an insight with its own id and times. Where one of that id exists, it stays and is
   * returned, unless `replacesOlder` is set and the given one has the later `updated_at`.
   * Durable when it resolves. CORRUPT where the existing file cannot be read, LOCKED.
   */
  async put(
    given: StoredInsight,
    { replacesOlder = false }: { replacesOlder?: boolean } = {},
  ): Promise<PutInsight> {
    const stored = await this.#screened(given);
    const { id, updated_at } = stored.insight;
    return this.#core.locked(id, async (lock) => {
      const found = await this.#core.catalogue.read(id);
      const isOlder = found !== undefined && found.stored.insight.updated_at < updated_at;
      if (found !== undefined && !(replacesOlder && isOlder)) {
        return { outcome: 'unchanged', stored: found.stored };
      }
      await this.#core.options.requireRoom?.();
      await this.#core.write(lock, stored);
      return { outcome: found === undefined ? 'added' : 'replaced', stored };
    });
  }

  /**
   * As it is on disk now, expired or not; while the store is away, as it is known. CORRUPT, FORMAT_TOO_NEW.
   */
  async get(id: string): Promise<Insight | undefined> {
    requireInsightId(id);
    if (this.#core.deferred.isInMemory(id)) return this.known(id);
    const found = await this.#core.catalogue.read(id);
    if (found !== undefined) this.#core.note(found.stored, found.stamp);
    return found?.stored.insight;
  }

  /**
   * `undefined` if there is none. Durable when it resolves; with `mayDefer` it waits in memory where the
   * store cannot be written now. CORRUPT, FORMAT_TOO_NEW, LOCKED, STORAGE_UNAVAILABLE.
   */
  async update(
    id: string,
    given: InsightUpdate,
    { mayDefer = false } = {},
  ): Promise<Insight | undefined> {
    requireInsightId(id);
    if (given.content !== undefined) requireContent(given.content);
    const { value: fields } = await screenedBy(this.#core.options.screen, given);
    const atMs = this.#core.clock.now();
    const change = ({ insight, extra }: StoredInsight) =>
      normalizeInsight({ insight: changed(insight, fields, atMs), extra });
    const now = () => this.#core.revise(id, change);
    const stored = await (mayDefer ? this.#core.deferred.update(id, change, now) : now());
    return stored?.insight;
  }

  /**
   * Moves it to the trash and returns its name there, for `restore`; `undefined` if there is none. With
   * `mayDefer` the deletion waits in memory where the store cannot be written now: then it has no name yet.
   */
  async trash(id: string, { mayDefer = false } = {}): Promise<DeletedInsight | undefined> {
    requireInsightId(id);
    const now = async () => {
      const trashName = await this.#core.trash.moveIn(id);
      return trashName === undefined ? undefined : { trashName };
    };
    return mayDefer ? this.#core.deferred.trash(id, now) : now();
  }

  /** Removes it permanently. False if there is none. STORAGE_UNAVAILABLE where a write of it waits. */
  async remove(id: string): Promise<boolean> {
    requireInsightId(id);
    await this.#core.deferred.requireNone(id);
    return this.#core.locked(id, async (lock) => {
      const isThere = (await listFiles(this.#core.folder)).includes(`${id}.json`);
      if (isThere) await lock.remove(this.#core.catalogue.pathOf(id));
      this.#core.gone(id);
      return isThere;
    });
  }

  /**
   * Brings back the last deleted of that id, or the file of that name in the trash. VALIDATION_ERROR
   * where it is not there; ALREADY_EXISTS where there is an insight of that id.
   */
  async restore(nameOrId: string): Promise<string> {
    await this.#core.options.requireRoom?.();
    return this.#core.trash.restore(nameOrId);
  }

  /** What is in the trash, the last deleted first. FILESYSTEM_ERROR. */
  trashed(): Promise<TrashedInsight[]> {
    return this.#core.trash.list();
  }

  /** Permanently removes the insight of that name in the trash. False if it is not there. LOCKED. */
  purge(name: string): Promise<boolean> {
    return this.#core.trash.remove(name);
  }

  /** The newest first. FILESYSTEM_ERROR. */
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
      tags.every((tag) => insight.tags?.includes(tag)) &&
      (includeExpired || !isExpired(insight, this.#core.clock.now()))
    );
  }

  /**
   * Every readable insight, whatever its context, the oldest first, with the fields that are only in the
   * file.
   */
  async all(): Promise<StoredInsight[]> {
    await this.current();
    return [...this.#core.catalogue.summaries()].sort(
      ({ insight: a }, { insight: b }) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1),
    );
  }

  /** How many insights each context has, expired ones among them. FILESYSTEM_ERROR. */
  async contexts(): Promise<ReadonlyMap<string, number>> {
    await this.current();
    const counts = new Map<string, number>();
    for (const { insight } of this.#core.catalogue.summaries()) {
      counts.set(insight.context, (counts.get(insight.context) ?? 0) + 1);
    }
    return counts;
  }

  /** What is known without a disk access. */
  known(id: string): Insight | undefined {
    return this.#core.catalogue.get(id);
  }

  /** Files in the folder that cannot be read, as of the last refresh. */
  damaged(): { name: string; error: AppError }[] {
    const damaged = this.#core.catalogue.damaged();
    return damaged.map(({ name, error }) => ({ name: `${name}.json`, error }));
  }

  /**
   * Calls `follower` with every later change. The first refresh notifies of what is there already. Returns
   * the unsubscribe function.
   */
  follow(follower: (change: InsightChange) => void): () => void {
    return this.#core.catalogue.follow(follower);
  }

  /** Resolves when what is known is what is in the folder: at once while it is watched. */
  current(): Promise<void> {
    return this.#core.current();
  }

  /** Checks these files on disk; true if nothing that is known has changed. */
  async isUnchanged(ids: readonly string[]): Promise<boolean> {
    const { catalogue } = this.#core;
    const { changes } = catalogue;
    await catalogue.refreshSome(ids);
    return changes === catalogue.changes;
  }

  /**
   * Begins to keep what is known current, until `close`, and removes what dead processes left of their
   * locks. Nothing waits for it; where it fails, that is logged, and each call reads the folder itself.
   */
  start(): void {
    this.#core.start();
  }

  /** Accepted writes are finished when it resolves. */
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

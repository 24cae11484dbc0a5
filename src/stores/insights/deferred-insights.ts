/**
 * New, changed and deleted insights that wait in memory to be written
 * (`stores/deferred-writes/write-queue.ts`). Readers already see them. If another program or a person changed
 * the text on disk meanwhile, that text is not overwritten and not deleted.
 */

import type { Clock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { newUuid } from '../../base/ids.js';
import { PendingViews, stampInMemory } from '../deferred-writes/pending-views.js';
import type { WriteQueue } from '../deferred-writes/write-queue.js';
import type { InsightCatalogue } from './catalogue.js';
import { renderInsight } from './insight-file.js';
import type { StoredInsight } from './stored-insight.js';

/** The size that a waiting deletion counts in the queue. */
const DELETION_BYTES = 100;

export type ChangeInsight = (stored: StoredInsight) => StoredInsight;

export interface DeferredInsightsParts {
  readonly queue: WriteQueue | undefined;
  readonly catalogue: InsightCatalogue;
  readonly clock: Clock;
  /** Writes the insight, unless a newer version is on disk. Durable when it resolves. */
  readonly write: (stored: StoredInsight) => Promise<void>;
  /**
   * Replaces the insight on disk by the result of `change`, under the lock. Returns false if there is none.
   */
  readonly revise: (id: string, change: ChangeInsight) => Promise<boolean>;
  /** Moves it to the trash. `check` gets the insight on disk under the lock, and throws if it must stay. */
  readonly trash: (id: string, check: (stored: StoredInsight) => void) => Promise<void>;
}

/** `trashName`: the name in the trash; absent if the deletion waits. */
export interface DeletedInsight {
  readonly trashName?: string;
}

export class DeferredInsights {
  readonly #parts: DeferredInsightsParts;
  readonly #views = new PendingViews<StoredInsight | 'deleted'>();
  /** The new id under which a changed text was written, because another program had changed the insight. */
  readonly #moved = new Map<string, string>();

  constructor(parts: DeferredInsightsParts) {
    this.#parts = parts;
    parts.queue?.whenBack(() => parts.catalogue.refresh());
  }

  /** Whether reads use memory and not the disk: for this insight or, without an id, for all insights. */
  isInMemory(id?: string): boolean {
    if (id !== undefined && this.#views.has(id)) return true;
    return this.#parts.queue?.isAway === true;
  }

  /** For changes that cannot wait. STORAGE_UNAVAILABLE if a write of it waits and cannot be done. */
  async requireNone(id: string): Promise<void> {
    const { queue } = this.#parts;
    queue?.requireHere();
    if (this.#views.has(id)) await queue?.requireSettled();
  }

  /** Calls `now`. If the store cannot be written, adds the insight to the queue. */
  run(stored: StoredInsight, now: () => Promise<void>): Promise<void> {
    const { queue, write } = this.#parts;
    if (queue === undefined) return now();
    return queue.run(now, async () => this.#wait(queue, stored, () => write(stored)));
  }

  /** Calls `now`, or queues the change. `undefined` if there is no such insight. */
  update(
    id: string,
    change: ChangeInsight,
    now: () => Promise<StoredInsight | undefined>,
  ): Promise<StoredInsight | undefined> {
    const { queue } = this.#parts;
    if (queue === undefined) return now();
    return queue.run(now, async () => {
      const base = await this.#latest(id);
      if (base === undefined) return undefined;
      const stored = change(base);
      const beside = { ...stored, insight: { ...stored.insight, id: newUuid() } };
      const changed = { base, stored, beside, change };
      this.#wait(queue, stored, () => this.#writeChanged(id, changed));
      return stored;
    });
  }

  /** Calls `now`, or queues the deletion. `undefined` if there is no such insight. */
  trash(
    id: string,
    now: () => Promise<DeletedInsight | undefined>,
  ): Promise<DeletedInsight | undefined> {
    const { queue, catalogue, trash } = this.#parts;
    if (queue === undefined) return now();
    return queue.run(now, async () => {
      const base = await this.#latest(id);
      if (base === undefined) return undefined;
      queue.requireRoom(DELETION_BYTES);
      this.#views.show(id, 'deleted');
      catalogue.forget(id);
      const check = (found: StoredInsight) => {
        if (contentOf(found) !== contentOf(base)) throw notDeleted(id);
      };
      queue.add({
        name: `deletion of insight ${id}`,
        bytes: DELETION_BYTES,
        write: () => trash(this.#moved.get(id) ?? id, check),
        ended: () => this.#ended(id),
      });
      return {};
    });
  }

  /** Returns the insight with its waiting changes. CORRUPT and other errors if it cannot be read. */
  async #latest(id: string): Promise<StoredInsight | undefined> {
    const { catalogue } = this.#parts;
    if (!this.isInMemory(id)) return (await catalogue.read(id))?.stored;
    const { summary, damage } = catalogue.entry(id) ?? {};
    if (damage !== undefined) throw damage;
    return summary;
  }

  #wait(queue: WriteQueue, stored: StoredInsight, write: () => Promise<void>): void {
    const { catalogue, clock } = this.#parts;
    const { id } = stored.insight;
    const bytes = renderInsight(stored).byteLength;
    queue.requireRoom(bytes);
    this.#views.show(id, stored);
    catalogue.note({ stored, stamp: stampInMemory(clock, bytes) });
    queue.add({ name: `insight ${id}`, bytes, write, ended: () => this.#ended(id) });
  }

  /** If another program changed the text meanwhile, the new text is written as a second insight. */
  async #writeChanged(
    id: string,
    {
      base,
      stored,
      beside,
      change,
    }: Record<'base' | 'stored' | 'beside', StoredInsight> & {
      readonly change: ChangeInsight;
    },
  ): Promise<void> {
    const { revise, write } = this.#parts;
    const given = contentOf(stored);
    let isChangedByOther = false;
    const isThere = await revise(this.#moved.get(id) ?? id, (found) => {
      const texts = [contentOf(base), given];
      isChangedByOther = given !== contentOf(base) && !texts.includes(contentOf(found));
      return isChangedByOther ? found : change(found);
    });
    if (!isThere) throw notChanged(id);
    if (!isChangedByOther) return;
    await write(beside);
    this.#moved.set(id, beside.insight.id);
  }

  async #ended(id: string): Promise<void> {
    if (!this.#views.end(id)) return;
    this.#moved.delete(id);
    await this.#parts.catalogue.refreshSome([id]);
  }
}

const contentOf = ({ insight }: StoredInsight): string => insight.content;

const notChanged = (id: string) =>
  new AppError('CONFLICT', `The insight ${id} was deleted before its change could be written.`);

const notDeleted = (id: string) =>
  new AppError(
    'CONFLICT',
    `The insight ${id} was changed before it could be deleted, so it was not deleted.`,
  );

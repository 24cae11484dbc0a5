/**
 * New, changed and deleted insights that wait in memory to be written
 * (`stores/deferred-writes/write-queue.ts`): readers see them so. When they are written, what is on the disk
 * decides once more: a text that somebody else wrote meanwhile is neither overwritten nor deleted.
 */

import type { Clock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { newUuid } from '../../base/ids.js';
import { PendingViews, stampInMemory } from '../deferred-writes/pending-views.js';
import type { WriteQueue } from '../deferred-writes/write-queue.js';
import type { InsightCatalogue } from './catalogue.js';
import { renderInsight } from './insight-file.js';
import type { StoredInsight } from './stored-insight.js';

/** Of a deletion: it has no text. */
const DELETION_BYTES = 100;

export type ChangeInsight = (stored: StoredInsight) => StoredInsight;

export interface DeferredInsightsParts {
  readonly queue: WriteQueue | undefined;
  readonly catalogue: InsightCatalogue;
  readonly clock: Clock;
  /** Writes it, also where it is there already. Durable when it resolves. */
  readonly write: (stored: StoredInsight) => Promise<void>;
  /** Replaces what is on disk by what `change` makes of it under the lock. False if there is none. */
  readonly revise: (id: string, change: ChangeInsight) => Promise<boolean>;
  /** Moves it to the trash. `check` gets what is on disk under the lock, and throws where it must stay. */
  readonly trash: (id: string, check: (stored: StoredInsight) => void) => Promise<void>;
}

/** `trashName`: its name in the trash; absent where the deletion waits. */
export interface DeletedInsight {
  readonly trashName?: string;
}

export class DeferredInsights {
  readonly #parts: DeferredInsightsParts;
  readonly #views = new PendingViews<StoredInsight | 'deleted'>();
  /** Where the text of an insight was written, if the insight was changed meanwhile. */
  readonly #moved = new Map<string, string>();

  constructor(parts: DeferredInsightsParts) {
    this.#parts = parts;
    parts.queue?.whenBack(() => parts.catalogue.refresh());
  }

  /** Whether memory counts and not the disk: for this insight, or without an id for all of them. */
  isInMemory(id?: string): boolean {
    if (id !== undefined && this.#views.has(id)) return true;
    return this.#parts.queue?.isAway === true;
  }

  /**
   * Before a change that cannot wait: STORAGE_UNAVAILABLE where a write of this insight waits that cannot be
   * done yet.
   */
  async requireNone(id: string): Promise<void> {
    const { queue } = this.#parts;
    queue?.requireHere();
    if (queue === undefined || !this.#views.has(id) || (await queue.settle())) return;
    throw queue.unavailable();
  }

  /** Does `now`, or adds the insight to what waits. */
  run(stored: StoredInsight, now: () => Promise<void>): Promise<void> {
    const { queue, write } = this.#parts;
    if (queue === undefined) return now();
    return queue.run(now, async () => this.#wait(queue, stored, () => write(stored)));
  }

  /** Does `now`, or adds the change to what waits; `undefined` if there is no such insight. */
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

  /** Does `now`, or adds the deletion to what waits; `undefined` if there is no such insight. */
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

  /** With what waits. CORRUPT and others where it is there and cannot be read. */
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

  /** If another program changed the text meanwhile, the new text becomes an insight beside it. */
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
    let isOfAnother = false;
    const isThere = await revise(this.#moved.get(id) ?? id, (found) => {
      const texts = [contentOf(base), given];
      isOfAnother = given !== contentOf(base) && !texts.includes(contentOf(found));
      return isOfAnother ? found : change(found);
    });
    if (!isThere) throw notChanged(id);
    if (!isOfAnother) return;
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

/**
 * New, changed and deleted insights that wait in memory to be written
 * (`stores/deferred-writes/write-queue.ts`). Readers already see them. If another program or a person changed
 * the text on disk meanwhile, that text is not overwritten and not deleted. Nor is any other field overwritten.
 */

import type { Clock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { newUuid } from '../../base/ids.js';
import { defined, isSameJson } from '../../base/json.js';
import { PendingViews, stampInMemory } from '../deferred-writes/pending-views.js';
import type { WriteQueue } from '../deferred-writes/write-queue.js';
import type { InsightCatalogue } from './insight-catalogue.js';
import { renderInsight } from './insight-file.js';
import type { StoredInsight } from './schema.js';

export type ChangeInsight = (stored: StoredInsight) => StoredInsight;

export interface DeferredInsightsParts {
  readonly queue: WriteQueue;
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
  /** Its `moved` has the new ids of changed texts. */
  readonly views: PendingViews<StoredInsight>;

  constructor(parts: DeferredInsightsParts) {
    this.#parts = parts;
    this.views = new PendingViews(parts.queue, parts.catalogue);
  }

  /** Calls `now`. If the store cannot be written, adds the insight to the queue. */
  run(stored: StoredInsight, now: () => Promise<void>): Promise<void> {
    const { queue, write } = this.#parts;
    return queue.run(now, async () => this.#wait(stored, () => write(stored)));
  }

  /** Calls `now`, or queues the change. `undefined` if there is no such insight. */
  update(
    id: string,
    change: ChangeInsight,
    now: () => Promise<StoredInsight | undefined>,
  ): Promise<StoredInsight | undefined> {
    return this.#parts.queue.run(now, async () => {
      const base = await this.#latest(id);
      if (base === undefined) return undefined;
      const stored = change(base);
      const beside = { ...stored, insight: { ...stored.insight, id: newUuid() } };
      const changed = { base, stored, beside, change };
      this.#wait(stored, () => this.#writeChanged(id, changed));
      return stored;
    });
  }

  /** Calls `now`, or queues the deletion. `undefined` if there is no such insight. */
  trash(
    id: string,
    now: () => Promise<DeletedInsight | undefined>,
  ): Promise<DeletedInsight | undefined> {
    const { queue, trash } = this.#parts;
    return queue.run(now, async () => {
      const base = await this.#latest(id);
      if (base === undefined) return undefined;
      const check = (found: StoredInsight) => {
        if (contentOf(found) !== contentOf(base)) throw notDeleted(id);
      };
      this.views.delete(id, `insight ${id}`, (name) => trash(name, check));
      return {};
    });
  }

  /** Returns the insight with its waiting changes. CORRUPT and other errors if it cannot be read. */
  async #latest(id: string): Promise<StoredInsight | undefined> {
    const { catalogue } = this.#parts;
    if (!this.views.isInMemory(id)) return (await catalogue.read(id))?.stored;
    const { summary, damage } = catalogue.entry(id) ?? {};
    if (damage !== undefined) throw damage;
    return summary;
  }

  #wait(stored: StoredInsight, write: () => Promise<void>): void {
    const { catalogue, clock } = this.#parts;
    const { id } = stored.insight;
    const bytes = renderInsight(stored).byteLength;
    this.views.add(id, stored, { name: `insight ${id}`, bytes, write });
    catalogue.note({ stored, stamp: stampInMemory(clock, bytes) });
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
    const isThere = await revise(this.views.moved.get(id) ?? id, (found) => {
      const texts = [contentOf(base), given];
      isChangedByOther = given !== contentOf(base) && !texts.includes(contentOf(found));
      return isChangedByOther ? found : withoutOthers(change(found), base, found);
    });
    if (!isThere) throw notChanged(id);
    if (!isChangedByOther) return;
    await write(beside);
    this.views.moved.set(id, beside.insight.id);
  }
}

const FIELDS = ['tags', 'metadata', 'expires_at'] as const;

/** The changed insight with those fields of `found` that another program has set since `base`. */
function withoutOthers(
  { insight, ...changed }: StoredInsight,
  { insight: base }: StoredInsight,
  { insight: found }: StoredInsight,
): StoredInsight {
  const ofOthers = FIELDS.filter((name) => !isSameJson(found[name], base[name]));
  const own = Object.entries(insight).filter(([name]) => !ofOthers.some((each) => each === name));
  const others = defined(Object.fromEntries(ofOthers.map((name) => [name, found[name]])));
  return { ...changed, insight: { ...(Object.fromEntries(own) as typeof insight), ...others } };
}

const contentOf = ({ insight }: StoredInsight): string => insight.content;

const notChanged = (id: string) =>
  new AppError('CONFLICT', `The insight ${id} was deleted before its change could be written.`);

const notDeleted = (id: string) =>
  new AppError(
    'CONFLICT',
    `The insight ${id} was changed before it could be deleted, so it was not deleted.`,
  );

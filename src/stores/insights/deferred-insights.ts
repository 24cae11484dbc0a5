/** New insights that wait in memory to be written (`stores/staying/write-queue.ts`): readers see them. */

import type { Clock } from '../../base/clock.js';
import { stampInMemory, Views } from '../staying/views.js';
import type { WriteQueue } from '../staying/write-queue.js';
import type { InsightCatalogue } from './catalogue.js';
import { renderInsight } from './insight-file.js';
import type { StoredInsight } from './stored-insight.js';

export interface DeferredInsightsParts {
  readonly queue: WriteQueue | undefined;
  readonly catalogue: InsightCatalogue;
  readonly clock: Clock;
  /** Writes it, also where it is there already. Durable when it resolves. */
  readonly write: (stored: StoredInsight) => Promise<void>;
}

export class DeferredInsights {
  readonly #parts: DeferredInsightsParts;
  readonly #views = new Views<StoredInsight>();

  constructor(parts: DeferredInsightsParts) {
    this.#parts = parts;
    parts.queue?.whenBack(() => parts.catalogue.refresh());
  }

  /** Whether memory counts and not the disk: for this insight, or without an id for all of them. */
  isInMemory(id?: string): boolean {
    if (id !== undefined && this.#views.has(id)) return true;
    return this.#parts.queue?.isAway === true;
  }

  /** Does `now`, or adds the insight to what waits. */
  run(stored: StoredInsight, now: () => Promise<void>): Promise<void> {
    const { queue } = this.#parts;
    return queue === undefined ? now() : queue.run(now, async () => this.#wait(queue, stored));
  }

  #wait(queue: WriteQueue, stored: StoredInsight): void {
    const { catalogue, clock, write } = this.#parts;
    const { id } = stored.insight;
    const bytes = renderInsight(stored).byteLength;
    queue.requireRoom(bytes);
    this.#views.show(id, stored);
    catalogue.note({ stored, stamp: stampInMemory(clock, bytes) });
    queue.add({
      name: `insight ${id}`,
      bytes,
      write: () => write(stored),
      ended: async () => {
        if (this.#views.end(id)) await catalogue.refreshSome([id]);
      },
    });
  }
}

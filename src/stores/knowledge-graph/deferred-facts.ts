/**
 * New facts that wait in memory to be written (`stores/staying/write-queue.ts`). They are put into the table
 * of the graph without a line in the log, so that every query sees them. Before they are written, the table
 * is read from the files again; adding a fact that is there already changes nothing.
 */

import { type Clock, isoTime } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import type { WriteQueue } from '../staying/write-queue.js';
import type { GraphState } from './graph-state.js';
import type { AddRequest, Change, PendingOperation } from './table/change-request.js';
import type { Changes } from './table/changes.js';
import type { TripleTable } from './table/triple-table.js';

export interface DeferredFactsParts {
  readonly queue: WriteQueue | undefined;
  readonly state: GraphState;
  readonly changes: Changes;
  readonly clock: Clock;
  /** Durable when it resolves. */
  readonly write: (request: AddRequest) => Promise<unknown>;
}

export class DeferredFacts {
  readonly #parts: DeferredFactsParts;
  /** In the order of the calls. */
  readonly #waiting = new Set<AddRequest>();
  /** Whether the table has facts that the files have not. */
  #isAhead = false;

  constructor(parts: DeferredFactsParts) {
    this.#parts = parts;
    parts.state.whenRead((table) => {
      if (this.#isAhead) this.#applyAll(table);
    });
  }

  /** Does `now`, or adds the facts to what waits. They are screened. */
  run(request: AddRequest, now: () => Promise<Change>): Promise<Change> {
    const { queue } = this.#parts;
    return queue === undefined ? now() : queue.run(now, () => this.#wait(queue, request));
  }

  /** Before a change that cannot wait: STORAGE_UNAVAILABLE where facts wait that cannot be written yet. */
  async requireNone(): Promise<void> {
    const { queue } = this.#parts;
    if (this.#waiting.size === 0 || queue === undefined || (await queue.settle())) return;
    throw queue.unavailable();
  }

  async #wait(queue: WriteQueue, given: AddRequest): Promise<Change> {
    const { state, clock } = this.#parts;
    const bytes = Buffer.byteLength(JSON.stringify(given.triples));
    queue.requireRoom(bytes);
    await state.current();
    const now = clock.now();
    const triples = given.triples.map((triple) => ({
      ts: Math.min(now, triple.validTo ?? now),
      ...triple,
    }));
    const request = { ...given, triples, room: triples };
    const change = this.#apply(state.content.table, request);
    this.#isAhead = true;
    this.#waiting.add(request);
    queue.add({
      name: `${triples.length} facts of ${isoTime(now)}`,
      bytes,
      write: () => this.#write(request),
      ended: () => void this.#waiting.delete(request),
    });
    return change;
  }

  async #write(request: AddRequest): Promise<void> {
    const { state, write } = this.#parts;
    if (this.#isAhead) {
      this.#isAhead = false;
      state.invalidate();
    }
    try {
      await write(request);
    } catch (error) {
      this.#isAhead = true;
      this.#applyAll(state.content.table);
      throw error;
    }
  }

  #applyAll(table: TripleTable): void {
    for (const request of this.#waiting) {
      try {
        this.#apply(table, request);
      } catch (error) {
        if (!isAppError(error, 'E_KG_FULL')) throw error; // another process has filled the graph
      }
    }
  }

  #apply(table: TripleTable, request: AddRequest): Change {
    const { state, changes } = this.#parts;
    const pending: PendingOperation[] = [];
    const change = changes.applyRequest(table, request, pending);
    if (state.hasListeners) state.notify(new Set(pending.map(({ key }) => key.s)));
    return change;
  }
}

/** Gives each operation a time and an id that sort after all earlier operations on its triple. */
import type { Clock } from '../../../base/clock.js';
import { randomHex } from '../../../base/ids.js';
import type { Operation, OperationId } from '../model/triple.js';
import type { Key, TripleTable } from './triple-table.js';

const COUNTER_BITS = 24;

export class OperationStamps {
  readonly #clock: Clock;
  #prefix: OperationId = newPrefix();
  #counter = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** With a new id and a time after every operation on this triple, even if the clock was set back. */
  stamp(
    table: TripleTable,
    key: Key,
    what: Pick<Operation, 'kind'> & Partial<Operation>,
  ): Operation {
    const id = this.#nextId();
    const last = table.lastOperation(key);
    let at = Math.max(this.#clock.now(), last?.at ?? 0);
    if (last?.at === at && (id.hi - last.hi || id.lo - last.lo) <= 0) at += 1;
    return { ts: at, validTo: Number.POSITIVE_INFINITY, origin: undefined, ...what, at, ...id };
  }

  #nextId(): OperationId {
    if (this.#counter === 2 ** COUNTER_BITS) {
      this.#prefix = newPrefix();
      this.#counter = 0;
    }
    const { hi, lo } = this.#prefix;
    const id = { hi, lo: lo + this.#counter };
    this.#counter += 1;
    return id;
  }
}

/** Returns 40 random bits. The counter uses the other 24 bits. */
function newPrefix(): OperationId {
  const digits = randomHex(5);
  return {
    hi: Number.parseInt(digits.slice(0, 8), 16),
    lo: Number.parseInt(digits.slice(8), 16) * 2 ** COUNTER_BITS,
  };
}

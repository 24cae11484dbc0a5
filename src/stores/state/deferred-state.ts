/**
 * Changes of the state that wait in memory to be written (`stores/deferred-writes/write-queue.ts`).
 * Readers already see them. A waiting change does not overwrite a value that another process set later.
 */
import { type JsonObject, objectIn } from '../../base/json-fields.js';
import type { WriteQueue } from '../deferred-writes/write-queue.js';
import { changedAt, type StateChange, timesOf } from './state-content.js';

export interface TimedChange {
  /** Secrets and private parts are already removed. */
  readonly change: StateChange;
  /** The time of the change (ISO 8601). */
  readonly at: string;
}

export interface DeferredStateParts {
  readonly queue: WriteQueue;
  /** Returns the file on disk; an empty object if there is no file. */
  readonly read: () => Promise<JsonObject>;
  /** Throws TOO_LARGE. */
  readonly bytesOf: (file: JsonObject) => Buffer;
  /** Replaces the file under its lock. Durable when it resolves. */
  readonly replace: (change: (file: JsonObject) => JsonObject) => Promise<unknown>;
}

/** `before`: the file as it was when the change was made. */
type Waiting = TimedChange & { readonly before: JsonObject };

export class DeferredState {
  readonly #parts: DeferredStateParts;
  /** In the order of the calls. */
  readonly #waiting = new Set<Waiting>();
  /** The file as it was last read or written. */
  #known: JsonObject | undefined;

  constructor(parts: DeferredStateParts) {
    this.#parts = parts;
  }

  /**
   * Returns the file with the waiting changes. While the store is away it starts from the last version
   * that was read; STORAGE_UNAVAILABLE if there was none.
   */
  async file(): Promise<JsonObject> {
    const base = await this.#base();
    return [...this.#waiting].reduce((file, { change, at }) => changedAt(file, change, at), base);
  }

  /** Remembers the file that was just written. */
  note(file: JsonObject): void {
    this.#known = file;
  }

  /** Calls `now`. If the store cannot be written, the change is added to those that wait. */
  run(timed: TimedChange, now: () => Promise<JsonObject>): Promise<JsonObject> {
    return this.#parts.queue.run(now, () => this.#wait(timed));
  }

  async #wait(timed: TimedChange): Promise<JsonObject> {
    const { queue, bytesOf, replace } = this.#parts;
    const { change, at } = timed;
    const before = await this.file();
    const after = changedAt(before, change, at);
    bytesOf(after);
    const bytes = Buffer.byteLength(JSON.stringify(change));
    queue.requireRoom(bytes);
    const waiting = { ...timed, before };
    this.#waiting.add(waiting);
    queue.add({
      name: `change of the state, ${at}`,
      bytes,
      write: async () => {
        await replace((file) => changedAt(file, withoutOlder(file, waiting), at));
      },
      ended: () => void this.#waiting.delete(waiting),
    });
    return after;
  }

  async #base(): Promise<JsonObject> {
    const { queue, read } = this.#parts;
    const found = queue.isAway ? undefined : await read();
    // `isAway` is checked again: if the folder disappeared before `read`, a missing file is not an empty
    // state.
    if (found !== undefined && !queue.isAway) this.#known = found;
    else if (this.#known === undefined) queue.requireHere();
    return this.#known ?? {};
  }
}

/** The change without values that another process set or removed later. Only keys in `values` have own times. */
function withoutOlder(file: JsonObject, { change, at, before }: Waiting): StateChange {
  const { values, ...fields } = change;
  const times = timesOf(file);
  const timeOf = (key: string) => (Object.hasOwn(times, key) ? times[key] : undefined);
  const isNewer = typeof file['updatedAt'] === 'string' && file['updatedAt'] > at;
  const ofAnother = (name: string) => isNewer && file[name] !== before[name];
  const has = ({ values: all }: JsonObject, key: string) => Object.hasOwn(objectIn(all), key);
  const isRemoved = (key: string) => isNewer && has(before, key) && !has(file, key);
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => !ofAnother(name))),
    ...(values && {
      values: Object.fromEntries(
        Object.entries(values).filter(([key]) => (timeOf(key) ?? '') <= at && !isRemoved(key)),
      ),
    }),
  };
}

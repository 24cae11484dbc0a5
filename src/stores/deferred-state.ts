/**
 * Changes of the state that wait in memory to be written (`stores/deferred-writes/write-queue.ts`): readers see
 * them. What another process set after a change was made is not overwritten by it.
 */
import type { JsonObject } from './conversations/document/schema.js';
import type { WriteQueue } from './deferred-writes/write-queue.js';
import { changedAt, type StateChange, timesOf } from './state-file.js';

export interface TimedChange {
  /** Screened. */
  readonly change: StateChange;
  /** When it was made (ISO 8601). */
  readonly at: string;
}

export interface DeferredStateParts {
  readonly queue: WriteQueue | undefined;
  /** What is on disk; without a file it is empty. */
  readonly read: () => Promise<JsonObject>;
  /** TOO_LARGE. */
  readonly bytesOf: (file: JsonObject) => Buffer;
  /** Replaces the file under its lock. Durable when it resolves. */
  readonly replace: (change: (file: JsonObject) => JsonObject) => Promise<unknown>;
}

/** `before`: the file that it was made on. */
type Waiting = TimedChange & { readonly before: JsonObject };

export class DeferredState {
  readonly #parts: DeferredStateParts;
  /** In the order of the calls. */
  readonly #waiting = new Set<Waiting>();
  /** As it was last read or written. */
  #known: JsonObject | undefined;

  constructor(parts: DeferredStateParts) {
    this.#parts = parts;
  }

  /** With what waits. While the store is away, as it was last read; STORAGE_UNAVAILABLE where it was not. */
  async file(): Promise<JsonObject> {
    const base = await this.#base();
    return [...this.#waiting].reduce((file, { change, at }) => changedAt(file, change, at), base);
  }

  /** Enters what was just written. */
  note(file: JsonObject): void {
    this.#known = file;
  }

  /** Does `now`, or adds the change to what waits. */
  run(timed: TimedChange, now: () => Promise<JsonObject>): Promise<JsonObject> {
    const { queue } = this.#parts;
    return queue === undefined ? now() : queue.run(now, () => this.#wait(queue, timed));
  }

  async #wait(queue: WriteQueue, timed: TimedChange): Promise<JsonObject> {
    const { bytesOf, replace } = this.#parts;
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
    const found = queue?.isAway ? undefined : await read();
    // A folder that has vanished meanwhile would be an empty state.
    if (found !== undefined && !queue?.isAway) this.#known = found;
    else if (this.#known === undefined) queue?.requireHere();
    return this.#known ?? {};
  }
}

/** Without what another process has set later. Only the free keys have a time of their own. */
function withoutOlder(file: JsonObject, { change, at, before }: Waiting): StateChange {
  const { values, ...fields } = change;
  const times = timesOf(file);
  const isNewer = typeof file['updatedAt'] === 'string' && file['updatedAt'] > at;
  const ofAnother = (name: string) => isNewer && file[name] !== before[name];
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => !ofAnother(name))),
    ...(values && {
      values: Object.fromEntries(
        Object.entries(values).filter(([key]) => (times[key] ?? '') <= at),
      ),
    }),
  };
}

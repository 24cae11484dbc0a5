/**
 * A map with one value for each conversation of the sources. The ids are used as they are, because a
 * joined key for each would need memory.
 */
import type { SourceId } from './import-mark.js';

export class BySource<Value> {
  readonly #kinds = new Map<string, Map<string, Value>>();

  get({ kind, id }: SourceId): Value | undefined {
    return this.#kinds.get(kind)?.get(id);
  }

  /** The values of all ids of this kind that `isWanted` accepts. */
  *where(kind: string, isWanted: (id: string) => boolean): Iterable<Value> {
    for (const [id, value] of this.#kinds.get(kind) ?? []) if (isWanted(id)) yield value;
  }

  set({ kind, id }: SourceId, value: Value): void {
    const ofKind = this.#kinds.get(kind);
    if (ofKind === undefined) this.#kinds.set(kind, new Map([[id, value]]));
    else ofKind.set(id, value);
  }
}

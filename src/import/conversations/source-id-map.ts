/**
 * A map with one value for each conversation of the sources. The ids are used as they are, because a
 * joined key for each would need memory.
 */
import type { SourceId } from '../../stores/conversations/document/import-mark.js';

export class SourceIdMap<Value> {
  readonly #kinds = new Map<string, Map<string, Value>>();

  get({ kind, id }: SourceId): Value | undefined {
    return this.#kinds.get(kind)?.get(id);
  }

  set({ kind, id }: SourceId, value: Value): void {
    const ofKind = this.#kinds.get(kind);
    if (ofKind === undefined) this.#kinds.set(kind, new Map([[id, value]]));
    else ofKind.set(id, value);
  }

  delete({ kind, id }: SourceId): void {
    this.#kinds.get(kind)?.delete(id);
  }
}

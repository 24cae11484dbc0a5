/**
 * The heads of all conversations, newest `updatedAt` first, always sorted: a change moves one entry
 * instead of sorting ten thousand. Lists that were handed out never change.
 */
import type { ConversationHead } from '../schema.js';

/** From so many changes on, sorting once costs less than moving each. */
const WORTH_SORTING = 64;

/** Where the heads are kept. */
export interface Heads {
  head(conversationId: string): ConversationHead | undefined;
  heads(): Iterable<ConversationHead>;
}

export class NewestFirst {
  readonly #held: Heads;
  #sorted: readonly ConversationHead[] = [];
  /** What `#sorted` holds for the conversations that changed since; absent: it has none. */
  readonly #outdated = new Map<string, ConversationHead | undefined>();

  constructor(held: Heads) {
    this.#held = held;
  }

  /** To be called before each change, with the head that is still held. */
  changes(conversationId: string, before: ConversationHead | undefined): void {
    // Sorted anew anyhow, or in the list as it was already.
    if (this.#outdated.size >= WORTH_SORTING || this.#outdated.has(conversationId)) return;
    this.#outdated.set(conversationId, before);
  }

  list(): readonly ConversationHead[] {
    if (this.#outdated.size > 0) {
      this.#sorted =
        this.#outdated.size < WORTH_SORTING ? this.#moved() : [...this.#held.heads()].sort(order);
      this.#outdated.clear();
    }
    return this.#sorted;
  }

  #moved(): ConversationHead[] {
    const sorted = [...this.#sorted];
    for (const before of this.#outdated.values()) {
      if (before !== undefined) sorted.splice(placeOf(sorted, before), 1);
    }
    for (const id of this.#outdated.keys()) {
      const head = this.#held.head(id);
      if (head !== undefined) sorted.splice(placeOf(sorted, head), 0, head);
    }
    return sorted;
  }
}

/** Newest first; of two with one time the one with the greater id. */
export function order(
  a: Pick<ConversationHead, 'updatedAt' | 'conversationId'>,
  b: Pick<ConversationHead, 'updatedAt' | 'conversationId'>,
): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  if (a.conversationId === b.conversationId) return 0;
  return a.conversationId < b.conversationId ? 1 : -1;
}

/** Index of the first that does not come before `head`. */
function placeOf(sorted: readonly ConversationHead[], head: ConversationHead): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = sorted[middle];
    if (at !== undefined && order(at, head) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The heads of all conversations, sorted by `updatedAt`, newest first. A change moves one entry, so that
 * ten thousand entries are not sorted again. A returned list never changes.
 */
import type { ConversationHead } from '../document/schema.js';

/** After this many changes, sorting the whole list is faster than moving each entry. */
const WORTH_SORTING = 64;

/** The owner of the heads. */
export interface HeadSource {
  head(conversationId: string): ConversationHead | undefined;
  summaries(): Iterable<ConversationHead>;
}

export class NewestFirst {
  readonly #source: HeadSource;
  #sorted: readonly ConversationHead[] = [];
  /** The heads in `#sorted` of the conversations that changed since; `undefined` if it is not in the list. */
  readonly #outdated = new Map<string, ConversationHead | undefined>();

  constructor(source: HeadSource) {
    this.#source = source;
  }

  /** Must be called at each change, with the head before the change. */
  changes(conversationId: string, before: ConversationHead | undefined): void {
    // Nothing to record: the whole list will be sorted again, or this conversation has an entry already.
    if (this.#outdated.size >= WORTH_SORTING || this.#outdated.has(conversationId)) return;
    this.#outdated.set(conversationId, before);
  }

  list(): readonly ConversationHead[] {
    if (this.#outdated.size > 0) {
      this.#sorted =
        this.#outdated.size < WORTH_SORTING
          ? this.#moved()
          : [...this.#source.summaries()].sort(order);
      this.#outdated.clear();
    }
    return this.#sorted;
  }

  #moved(): ConversationHead[] {
    const sorted = [...this.#sorted];
    for (const before of this.#outdated.values()) {
      if (before !== undefined) sorted.splice(positionOf(sorted, before), 1);
    }
    for (const id of this.#outdated.keys()) {
      const head = this.#source.head(id);
      if (head !== undefined) sorted.splice(positionOf(sorted, head), 0, head);
    }
    return sorted;
  }
}

/** Newest first; with equal times, the greater id first. */
export function order(
  a: Pick<ConversationHead, 'updatedAt' | 'conversationId'>,
  b: Pick<ConversationHead, 'updatedAt' | 'conversationId'>,
): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  if (a.conversationId === b.conversationId) return 0;
  return a.conversationId < b.conversationId ? 1 : -1;
}

/** Returns the index of the first entry that is not before `head`. */
function positionOf(sorted: readonly ConversationHead[], head: ConversationHead): number {
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

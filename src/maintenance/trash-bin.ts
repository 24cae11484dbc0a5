/**
 * The trash of all stores: deleted conversations, insights and notes, each in the folder of its store
 * (files/trash/). It lists all entries, restores them, and removes expired ones.
 */
import { isAppError } from '../base/errors.js';
import { defined } from '../base/json.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { InsightStore } from '../stores/insights/insights.js';
import type { MemoryBank } from '../stores/memory-bank/memory-bank.js';

export interface TrashedItem {
  readonly kind: 'conversation' | 'insight' | 'note';
  /** The name in the trash, for `daybook restore`. */
  readonly name: string;
  /** A title, the path of a note, or the beginning of an insight; absent if the file cannot be read. */
  readonly title?: string;
  /** ISO 8601; absent if a person moved it there. */
  readonly deletedAt?: string;
  readonly sizeBytes: number;
}

export interface TrashStores {
  readonly conversations: Pick<ConversationStore, 'trashed' | 'restore' | 'purge'>;
  readonly insights: Pick<InsightStore, 'trashed' | 'restore' | 'purge'>;
  readonly memoryBank: Pick<MemoryBank, 'trashed' | 'restore' | 'purge'>;
}

interface DeletedWithin {
  readonly before?: number | undefined;
  readonly after?: number | undefined;
}

const TITLE_LENGTH = 80;

export class TrashBin {
  readonly #stores: TrashStores;

  constructor(stores: TrashStores) {
    this.#stores = stores;
  }

  /** Returns all entries, the last deleted first; entries without a time come last. FILESYSTEM_ERROR. */
  async list(): Promise<TrashedItem[]> {
    const { conversations, insights, memoryBank } = this.#stores;
    const items: TrashedItem[] = [];
    for (const { name, title: given, deletedAt, sizeBytes } of await conversations.trashed()) {
      const title = given || undefined;
      items.push(defined({ kind: 'conversation' as const, name, title, deletedAt, sizeBytes }));
    }
    for (const { name, content, deletedAt, sizeBytes } of await insights.trashed()) {
      const title = content?.trim().split('\n')[0]?.slice(0, TITLE_LENGTH) || undefined;
      items.push(defined({ kind: 'insight' as const, name, title, deletedAt, sizeBytes }));
    }
    for (const { name, original: title, deletedAt, sizeBytes } of await memoryBank.trashed()) {
      items.push(defined({ kind: 'note' as const, name, title, deletedAt, sizeBytes }));
    }
    return items.sort((a, b) => ((a.deletedAt ?? '') < (b.deletedAt ?? '') ? 1 : -1));
  }

  /**
   * Returns the entries that were deleted before one time and not before another (epoch milliseconds), without
   * those that have no time; all entries if neither is given. FILESYSTEM_ERROR.
   */
  async choose({ before, after }: DeletedWithin = {}): Promise<TrashedItem[]> {
    const items = await this.list();
    if (before === undefined && after === undefined) return items;
    return items.filter(({ deletedAt = '' }) => {
      const time = Date.parse(deletedAt); // NaN without a time
      return time < (before ?? Infinity) && time >= (after ?? 0);
    });
  }

  /** Restores an entry. Throws like `restore` of its store. */
  async restore({ kind, name }: TrashedItem): Promise<void> {
    const { conversations, insights, memoryBank } = this.#stores;
    if (kind === 'insight') await insights.restore(name);
    else await (kind === 'conversation' ? conversations : memoryBank).restore(name);
  }

  /** Returns what was removed. LOCKED, FILESYSTEM_ERROR; then the remaining entries are unchanged. */
  async removeAll(items: readonly TrashedItem[], signal?: AbortSignal): Promise<TrashedItem[]> {
    const removed: TrashedItem[] = [];
    for (const item of items) {
      signal?.throwIfAborted();
      if (await this.remove(item)) removed.push(item);
    }
    return removed;
  }

  /** Removes an entry permanently. Returns false if another process restored or removed it meanwhile. */
  async remove({ kind, name }: TrashedItem): Promise<boolean> {
    const { conversations, insights, memoryBank } = this.#stores;
    try {
      if (kind === 'insight') return await insights.purge(name);
      await (kind === 'conversation' ? conversations : memoryBank).purge(name);
      return true;
    } catch (error) {
      if (isAppError(error, 'CONVERSATION_NOT_FOUND', 'E_MB_FILE_NOT_FOUND')) return false;
      throw error;
    }
  }
}
